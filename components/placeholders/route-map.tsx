import { usePageTexts } from "@/lib/messages/messages";
import { RouteFacts } from "../route-facts";
import styles from "./route-map.module.css";
import { placeholders } from "./routes";
import { Board, SignList } from "./sign-list";

const failures = placeholders.filter(({ route }) => route.startsWith("/failures"));
const more = placeholders.filter(({ route }) => route.startsWith("/feedback"));
const ways = placeholders.filter((page) => !failures.includes(page) && !more.includes(page));

/** The home page: every route as a sign on a post. */
export function RouteMap() {
  const texts = usePageTexts("/");
  return (
    <article className={styles.map}>
      <header>
        <h1>{texts.title}</h1>
        <p>{texts.purpose}</p>
      </header>
      <section>
        <h2>{texts.ways}</h2>
        <SignList pages={ways} />
      </section>
      {failures.length > 0 && (
        <section>
          <h2>{texts.failures}</h2>
          <SignList pages={failures} />
        </section>
      )}
      <section>
        <h2>{texts.more}</h2>
        <SignList pages={more}>
          <Board
            href="/reports"
            sign="/reports"
            title={texts.reports}
            kind="inbox"
            purpose={texts.reportsPurpose}
          />
          <Board
            href="/api/echo/one/two"
            sign="/api/echo/[...path]"
            title={texts.api}
            kind="api"
            purpose={texts.apiEcho}
          />
        </SignList>
      </section>
      <RouteFacts rendering="static" />
    </article>
  );
}
