import { useRouter } from "next/router";
import { useState } from "react";
import { toLocale } from "@/lib/messages/locales";
import { useMessages } from "@/lib/messages/messages";
import { paramsOf } from "@/lib/navigation/pattern";
import { useAsPath } from "@/lib/navigation/use-as-path";
import styles from "./route-facts.module.css";

export interface RouteFactsProps {
  /**
   * How the page is made: at build time; at build time or first request, then renewed; for each request.
   */
  rendering: "static" | "incremental" | "server";
  /**
   * ISO time from the page's data function. A page without one was rendered when its HTML was made,
   * or, after a client navigation, when the browser rendered it.
   */
  renderedAt?: string;
}

/** What the router knows of this page, as a list of labels and values. */
export function RouteFacts({ rendering, renderedAt }: RouteFactsProps) {
  const { pathname, locale } = useRouter();
  const { facts: labels, rendering: explanations } = useMessages();
  const [now] = useState(() => new Date().toISOString());
  const path = useAsPath()?.replace(/#.*/, "");

  const facts: Record<Exclude<keyof typeof labels, "heading">, string> = {
    pattern: pathname,
    path: path ?? "…",
    params: path ? JSON.stringify(paramsOf(pathname, path)) : "…",
    locale: toLocale(locale),
    rendering,
    "rendered-at": renderedAt ?? now,
  };

  return (
    <section className={styles.facts} aria-label={labels.heading}>
      <dl>
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{labels[name as keyof typeof facts]}</dt>
            <dd
              data-fact={name}
              dir="ltr"
              // The only facts that the server may see differently.
              suppressHydrationWarning={name === "rendered-at" || name === "path"}
            >
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <p>{explanations[rendering]}</p>
    </section>
  );
}
