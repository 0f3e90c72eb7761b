import Head from "next/head";
import { useRouter } from "next/router";
import type { ReactNode } from "react";
import { useMessages } from "@/lib/messages/messages";
import type { Route } from "@/lib/routes/routes";
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
  const pattern = useRouter().pathname as Route;
  const { title, purpose } = useMessages().routes[pattern];
  return (
    <article className={styles.page}>
      <Title>{title}</Title>
      <Head>
        <meta name="description" content={purpose} key="description" />
      </Head>
      <header>
        <p className={styles.kind}>{title}</p>
        <h1 className={styles.heading} tabIndex={-1}>
          <Sign pattern={pattern} />
        </h1>
        <p className={styles.purpose}>{purpose}</p>
      </header>
      {children}
      <RouteFacts renderedAt={renderedAt} />
    </article>
  );
}

/** The document's title. */
export function Title({ children }: { children: string }) {
  return (
    <Head>
      <title>{`${children} · Signpost`}</title>
    </Head>
  );
}
