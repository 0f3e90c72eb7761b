import { useRouter } from "next/router";
import type { ReactNode } from "react";
import { useMessages } from "@/lib/messages/messages";
import { pageTexts } from "@/lib/messages/page-texts";
import styles from "./page.module.css";
import { RouteFacts, type RouteFactsProps } from "./route-facts";
import { Sign } from "./sign";

/**
 * A page of the app: its pattern as a road sign, its title and purpose if it has texts, its own
 * content, and the facts of its route. To set another document title, render `PageHead` in it.
 */
export function Page({ children, ...facts }: RouteFactsProps & { children?: ReactNode }) {
  const { pathname } = useRouter();
  const texts = pageTexts(useMessages(), pathname);
  return (
    <article className={styles.page}>
      <header>
        {texts && <p className={styles.kind}>{texts.title}</p>}
        <h1 className={styles.heading}>
          <Sign pattern={pathname} />
        </h1>
        {texts && <p className={styles.purpose}>{texts.purpose}</p>}
      </header>
      {children}
      <RouteFacts {...facts} />
    </article>
  );
}
