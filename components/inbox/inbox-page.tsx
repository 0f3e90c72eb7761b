import type { ReactNode } from "react";
import { PageHead } from "@/components/page-head";
import { RouteFacts } from "@/components/route-facts";
import { inboxMessages } from "@/lib/messages/inbox";
import figures from "./figures.module.css";
import styles from "./inbox.module.css";
import type { Fresh } from "./use-fresh";
import { Now, useUrl } from "./values";

/**
 * The frame of each page of the inbox: English within a page of any language.
 *
 * @param props.bar the heading of the list, or the way back to it
 * @param props.header what stands below the bar
 */
export function InboxPage(props: {
  title: string;
  fresh: Fresh<unknown>;
  bar: ReactNode;
  header?: ReactNode;
  children: ReactNode;
}) {
  const { title, fresh, bar, header, children } = props;
  return (
    <div className={styles.frame}>
      <PageHead title={title} />
      <article lang="en" dir="ltr" className={styles.inbox}>
        <Now value={fresh.now}>
          <header>
            <div className={styles.bar}>
              {bar}
              <RefreshStatus {...fresh} />
            </div>
            {header}
          </header>
          {children}
        </Now>
      </article>
      <RouteFacts renderedAt={fresh.renderedAt} />
    </div>
  );
}

const colours = {
  active: figures.good,
  lost: figures.poor,
  paused: undefined,
  outdated: undefined,
};

/** Says whether the page refreshes by itself; without JavaScript, a link does that. */
function RefreshStatus({ freshness, paused, onPause }: Fresh<unknown>) {
  const { refresh } = inboxMessages;
  const here = useUrl();
  const isOutdated = freshness === "outdated";
  const state = paused && !isOutdated ? "paused" : freshness;
  return (
    <p className={styles.status}>
      <span className={styles.scripted}>
        <span className={colours[state]} aria-hidden="true">
          {state === "active" ? "●" : "○"}&nbsp;
        </span>
        {refresh[state]}
      </span>
      {isOutdated ? (
        <a href={here}>{refresh.reload}</a>
      ) : (
        <button type="button" className={styles.scripted} onClick={() => onPause(!paused)}>
          {paused ? refresh.resume : refresh.pause}
        </button>
      )}
      <noscript>
        <a href={here}>{refresh.refresh}</a>
      </noscript>
    </p>
  );
}

/** A part of a page about one error or one visit. */
export function Section(props: { heading: ReactNode; shown?: boolean; children: ReactNode }) {
  const { heading, shown = true, children } = props;
  return (
    shown && (
      <section>
        <h2>{heading}</h2>
        {children}
      </section>
    )
  );
}
