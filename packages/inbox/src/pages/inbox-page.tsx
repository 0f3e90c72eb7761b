import type { ReactNode } from "react";
import { texts } from "../views/texts.ts";
import { thisPage } from "./values.tsx";

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
  const { refresh } = texts;
  const { url } = thisPage();
  return (
    <p className="status" data-steady="always" data-state="none">
      <span className="active">
        <span className="good" aria-hidden="true">
          ●&nbsp;
        </span>
        {refresh.active}
      </span>
      <span className="paused">
        <span aria-hidden="true">○&nbsp;</span>
        {refresh.paused}
      </span>
      <span className="lost">
        <span className="poor" aria-hidden="true">
          ○&nbsp;
        </span>
        {refresh.lost}
      </span>
      <span className="outdated">
        <span aria-hidden="true">○&nbsp;</span>
        {refresh.outdated}
      </span>
      <button type="button" className="active lost" data-pause>
        {refresh.pause}
      </button>
      <button type="button" className="paused" data-pause>
        {refresh.resume}
      </button>
      <a href={url} className="outdated">
        {refresh.reload}
      </a>
      <a href={url} className="none">
        {refresh.refresh}
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
