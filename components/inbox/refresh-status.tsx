import { useRouter } from "next/router";
import { inboxMessages } from "@/lib/messages/inbox";
import { toLocale } from "@/lib/messages/locales";
import { urlOf } from "@/lib/routes/location";
import styles from "./refresh-status.module.css";
import type { Refreshing } from "./use-fresh";

/**
 * Says whether the page refreshes by itself, with a button to pause that. Without JavaScript, CSS
 * shows a link to refresh in its place, so the layout does not shift.
 */
export function RefreshStatus({ freshness, paused, onPause }: Refreshing) {
  const { asPath, locale } = useRouter();
  const { refresh } = inboxMessages;
  const here = urlOf({ path: asPath, locale: toLocale(locale) });
  if (freshness === "outdated") {
    return (
      <p className={styles.status}>
        {refresh.outdated} <a href={here}>{refresh.reload}</a>
      </p>
    );
  }
  const state = paused ? "paused" : freshness;
  return (
    <p className={styles.status}>
      <span className={styles.scripted} data-freshness={state}>
        {refresh[state]}
      </span>
      <button type="button" className={styles.scripted} onClick={() => onPause(!paused)}>
        {paused ? refresh.resume : refresh.pause}
      </button>
      <a href={here} className={styles.plain}>
        {refresh.refresh}
      </a>
    </p>
  );
}
