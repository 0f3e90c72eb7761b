import { useRouter } from "next/router";
import type { ReactNode } from "react";
import { pageNames, useMessages } from "@/lib/messages/messages";
import styles from "./page.module.css";
import { PageHead } from "./page-head";

/**
 * A page: its heading, what it is for, and its content with the spacing of texts, lists and forms.
 *
 * @param props.title in place of the page's title among the texts, in the document too
 */
export function Page({ title, children }: { title?: string; children?: ReactNode }) {
  const { pathname } = useRouter();
  const texts = pageNames(useMessages(), pathname);
  return (
    <article className={styles.page}>
      {title && <PageHead title={title} />}
      <h1>{title ?? texts.title}</h1>
      {!title && texts.purpose && <p className={styles.purpose}>{texts.purpose}</p>}
      {children}
    </article>
  );
}
