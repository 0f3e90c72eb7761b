import { useState } from "react";
import { useMessages } from "@/lib/messages/messages";
import { useRoute } from "@/lib/navigation/route";
import { renderingOf, useAsPath } from "@/lib/navigation/use-as-path";
import { paramsOf } from "@/lib/routes/pattern.js";
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
  const rendering = renderingOf(pathname);
  const path = useAsPath()?.replace(/#.*/, "");

  const facts: Record<Exclude<keyof typeof labels, "heading">, string> = {
    pattern: pathname,
    path: path ?? "…",
    params: path ? JSON.stringify(paramsOf(pathname, path)) : "…",
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
