import type { ReactNode } from "react";
import { Link, thisPage } from "./values.tsx";

/**
 * The frame of each page of the inbox.
 *
 * @param props.bar the heading of the list, or the way back to it
 * @param props.header what stands below the bar
 */
export function InboxPage(props: { bar: ReactNode; header?: ReactNode; children: ReactNode }) {
  const { bar, header, children } = props;
  return (
    <main className="inbox">
      <header>
        <div className="bar">
          {bar}
          <RefreshStatus />
        </div>
        {header}
      </header>
      {children}
    </main>
  );
}

/**
 * Says whether the page refreshes by itself: the script sets `data-state`, by which the style sheet shows one of
 * these. Without the script, a link refreshes.
 */
function RefreshStatus() {
  const { url } = thisPage();
  return (
    <p className="status" data-steady="always" data-state="none">
      <span className="active">
        <span className="good" aria-hidden="true">
          ●&nbsp;
        </span>
        Refreshes by itself
      </span>
      <span className="paused">
        <span aria-hidden="true">○&nbsp;</span>
        Refreshing is paused
      </span>
      <span className="lost">
        <span className="poor" aria-hidden="true">
          ○&nbsp;
        </span>
        The server can't be reached. Trying again.
      </span>
      <span className="outdated">
        <span aria-hidden="true">○&nbsp;</span>
        This page can't be refreshed any more.
      </span>
      <button type="button" className="active lost" data-pause>
        Pause
      </button>
      <button type="button" className="paused" data-pause>
        Resume
      </button>
      <a href={url} className="outdated">
        Reload the page
      </a>
      <a href={url} className="none">
        Refresh
      </a>
    </p>
  );
}

/** A part of a page about one error or one visit. */
export function Section(props: { heading: string; shown?: boolean; children: ReactNode }) {
  const { heading, shown = true, children } = props;
  return (
    shown && (
      <section data-key={heading}>
        <h2>{heading}</h2>
        {children}
      </section>
    )
  );
}

/** Says why there is nothing to show, and what to do about it. */
export function Empty(props: {
  as?: "h1" | "h2";
  texts: Record<"heading" | "text" | "link", string>;
  href: string;
}) {
  const { as: Heading = "h2", href } = props;
  const { heading, text, link } = props.texts;
  return (
    <section className="empty">
      <svg viewBox="0 0 48 36" aria-hidden="true">
        <path d="M2 22 10 4h28l8 18v11a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM2 22h13c0 5 4 8 9 8s9-3 9-8h13" />
      </svg>
      <Heading>{heading}</Heading>
      <p>
        {text} <Link href={href}>{link}</Link>.
      </p>
    </section>
  );
}
