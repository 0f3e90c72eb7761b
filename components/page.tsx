import type { ReactNode } from "react";
import { useMessages } from "@/lib/messages/messages";
import { pageTexts } from "@/lib/messages/page-texts";
import { useRoute } from "@/lib/navigation/route";
import styles from "./page.module.css";
import { RouteFacts } from "./route-facts";
import { Sign } from "./sign";

/**
 * A page of the app: its pattern as the sign at the top, what it is for, its own content, and what
 * is known of its route.
 *
 * @param props.renderedAt ISO time from the page's data function; none where it has none
 */
export function Page({ children, renderedAt }: { children?: ReactNode; renderedAt?: string }) {
  const { pathname } = useRoute();
  const { title, purpose } = pageTexts(useMessages(), pathname);
  return (
    <article className={styles.page}>
      <header>
        <p className={styles.kind}>{title}</p>
        <h1 className={styles.heading} tabIndex={-1}>
          <Sign pattern={pathname} />
        </h1>
        <p className={styles.purpose}>{purpose}</p>
      </header>
      {children}
      <RouteFacts renderedAt={renderedAt} />
    </article>
  );
}
