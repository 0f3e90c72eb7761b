import { useRouter } from "next/router";
import type { ReactNode } from "react";
import { pageNames, useMessages } from "@/lib/messages/messages";
import styles from "./page.module.css";
import { RouteFacts, type RouteFactsProps } from "./route-facts";
import { Sign } from "./sign";

/**
 * A page of the app: its pattern as a road sign, its title and purpose if it has texts, its own
 * content, and the facts of its route. To set another document title, render `PageHead` in it.
 */
export function Page({ children, ...facts }: RouteFactsProps & { children?: ReactNode }) {
  const { pathname } = useRouter();
  const { title, purpose } = pageNames(useMessages(), pathname);
  return (
    <article className={styles.page}>
      <header>
        {title && <p className={styles.kind}>{title}</p>}
        <h1 className={styles.heading}>
          <Sign pattern={pathname} />
        </h1>
        {purpose && <p className={styles.purpose}>{purpose}</p>}
      </header>
      {children}
      <RouteFacts {...facts} />
    </article>
  );
}
