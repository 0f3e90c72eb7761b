import { useMessages } from "@/lib/messages/messages";
import { builtInPages } from "@/lib/navigation/built-in";
import { examples, type Route } from "@/lib/navigation/routes";
import { RouteFacts } from "./route-facts";
import styles from "./route-map.module.css";
import { Board, SignList } from "./sign-list";

const apiExample = "/api/echo/one/two";

/** The home page: every route as a sign on a post. */
export function RouteMap() {
  const { page, routes: texts } = useMessages();
  const all = Object.keys(examples) as Route[];
  const failures = all.filter((route) => route.startsWith("/failures"));
  const more = all.filter((route) => route in builtInPages);
  const pages = all.filter((route) => !failures.includes(route) && !more.includes(route));

  return (
    <article className={styles.map}>
      <header>
        <h1>{texts["/"].title}</h1>
        <p>{texts["/"].purpose}</p>
      </header>
      <section>
        <h2>{page.ways}</h2>
        <SignList routes={pages} />
      </section>
      {failures.length > 0 && (
        <section>
          <h2>{page.failures}</h2>
          <SignList routes={failures} />
        </section>
      )}
      <section>
        <h2>{page.more}</h2>
        <SignList routes={more}>
          <Board
            href={apiExample}
            sign="/api/echo/[...path]"
            title={page.api}
            kind="api"
            purpose={page.apiEcho}
          />
        </SignList>
      </section>
      <RouteFacts />
    </article>
  );
}
