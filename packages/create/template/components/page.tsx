import { useRouter } from "next/router";
import type { ReactNode } from "react";
import { pageNames, useMessages } from "@/lib/messages/messages";
import styles from "./page.module.css";
import { PageHead } from "./page-head";

/**
 * A page: its heading, what it is for, and its content with the spacing of texts, lists and forms.
 *
 * @param props.title in place of the page's title among the texts, in the document too
 * @throws in development, where there is neither
 */
export function Page({ title, children }: { title?: string; children?: ReactNode }) {
  const { pathname } = useRouter();
  const texts = pageNames(useMessages(), pathname);
  // biome-ignore lint/style/noProcessEnv: the build puts the value in its place
  if (process.env.NODE_ENV !== "production" && !title && !texts.title) {
    throw new Error(
      `The page has no heading: give Page a title, or write pages["${pathname}"].title in lib/messages`,
    );
  }
  return (
    <article className={styles.page}>
      {title && <PageHead title={title} />}
      <h1>{title ?? texts.title}</h1>
      {!title && texts.purpose && <p className={styles.purpose}>{texts.purpose}</p>}
      {children}
    </article>
  );
}
