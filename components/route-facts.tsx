import { useEffect, useState } from "react";
import { useMessages } from "@/lib/messages/messages";
import { useRoute } from "@/lib/navigation/route";
import { paramsOf } from "@/lib/routes/params-of";
import { type Rendering, type Route, routes } from "@/lib/routes/routes";
import styles from "./route-facts.module.css";

/**
 * What the router knows of this page, as a plate of label and value.
 *
 * @param props.renderedAt ISO time from the page's data function. A page without one was rendered
 *   when its HTML was made; after a client navigation, when the browser rendered it.
 */
export function RouteFacts({ renderedAt }: { renderedAt?: string }) {
  const { pathname, locale } = useRoute();
  const { facts: labels, rendering: explained } = useMessages();
  const [now] = useState(() => new Date().toISOString());
  const route = pathname as Route;
  // The inbox's page of one error is not on the map.
  const rendering: Rendering = routes[route] ?? "server";
  const path = usePath(rendering === "server");

  const facts: Record<Exclude<keyof typeof labels, "heading">, string> = {
    pattern: route,
    path: path ?? "…",
    params: path ? JSON.stringify(paramsOf(route, path)) : "…",
    locale,
    rendering,
    "rendered-at": renderedAt ?? now,
  };

  return (
    <section className={styles.facts} aria-label={labels.heading}>
      <dl>
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{labels[name as keyof typeof facts]}</dt>
            <dd data-fact={name} dir="ltr" suppressHydrationWarning={name === "rendered-at"}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <p>{explained[rendering]}</p>
    </section>
  );
}

/**
 * The URL path and query as the router gives it, without the hash. A prerendered page is made
 * without its query, some even without their parameters, so the first render in the browser must
 * not show them either.
 */
function usePath(madePerRequest: boolean): string | undefined {
  const { asPath, pathname, isFallback } = useRoute();
  const [hydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);

  if (isFallback || (pathname.includes("[") && asPath === pathname)) return undefined;
  return asPath.replace(hydrated || madePerRequest ? /#.*/ : /[?#].*/, "");
}
