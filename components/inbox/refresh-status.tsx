import { useRouter } from "next/router";
import { toLocale } from "@/lib/messages/locales";
import { urlOf } from "@/lib/routes/location";
import styles from "./refresh-status.module.css";
import type { InboxTexts } from "./texts";
import type { Freshness } from "./use-fresh";

interface Props {
  texts: InboxTexts;
  freshness: Freshness;
  paused: boolean;
  onPause: (paused: boolean) => void;
}

/**
 * Whether the page keeps itself fresh, and a way to stop it from moving under the reader. Where
 * there is no script, styles show a link instead, so that nothing shifts where there is one.
 */
export function RefreshStatus({ texts, freshness, paused, onPause }: Props) {
  const { asPath, locale } = useRouter();
  const here = urlOf({ path: asPath, locale: toLocale(locale) });
  if (freshness === "outdated") {
    return (
      <p className={styles.status}>
        {texts.outdated} <a href={here}>{texts.reload}</a>
      </p>
    );
  }
  const state = paused ? texts.paused : freshness === "lost" ? texts.lost : texts.refreshes;
  return (
    <p className={styles.status}>
      <span className={styles.scripted} data-freshness={paused ? "paused" : freshness}>
        {state}
      </span>
      <button type="button" className={styles.scripted} onClick={() => onPause(!paused)}>
        {paused ? texts.resume : texts.pause}
      </button>
      <a href={here} className={styles.plain}>
        {texts.refresh}
      </a>
    </p>
  );
}
