import { useMessages } from "@/lib/messages/messages";
import { RouteFacts } from "../route-facts";
import styles from "./route-map.module.css";
import { placeholders } from "./routes";
import { Board, SignList } from "./sign-list";

const failures = placeholders.filter(({ route }) => route.startsWith("/failures"));
const more = placeholders.filter(({ route }) => route === "/feedback");
const ways = placeholders.filter((page) => !failures.includes(page) && !more.includes(page));

/** The home page: every route as a sign on a post. */
export function RouteMap() {
  const { page, routes: texts } = useMessages();
  return (
    <article className={styles.map}>
      <header>
        <h1>{texts["/"].title}</h1>
        <p>{texts["/"].purpose}</p>
      </header>
      <section>
        <h2>{page.ways}</h2>
        <SignList pages={ways} />
      </section>
      {failures.length > 0 && (
        <section>
          <h2>{page.failures}</h2>
          <SignList pages={failures} />
        </section>
      )}
      <section>
        <h2>{page.more}</h2>
        <SignList pages={more}>
          <Board
            href="/api/echo/one/two"
            sign="/api/echo/[...path]"
            title={page.api}
            kind="api"
            purpose={page.apiEcho}
          />
        </SignList>
      </section>
      <RouteFacts rendering="static" />
    </article>
  );
}
