import type { ReactNode } from "react";
import { PageHead } from "@/components/page-head";
import { RouteFacts } from "@/components/route-facts";
import styles from "./inbox-page.module.css";

interface InboxPageProps {
  title: string;
  className: string | undefined;
  children: ReactNode;
  renderedAt: string;
}

/** The frame of each page of the inbox: English within a page of any language. */
export function InboxPage({ title, className, children, renderedAt }: InboxPageProps) {
  return (
    <div className={styles.page}>
      <PageHead title={title} />
      <article lang="en" dir="ltr" className={className}>
        {children}
      </article>
      <RouteFacts renderedAt={renderedAt} />
    </div>
  );
}
