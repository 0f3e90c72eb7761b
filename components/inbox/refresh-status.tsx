import { useEffect, useState } from "react";
import { useRoute } from "@/lib/navigation/route";
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

/** Whether the page keeps itself fresh, and a way to stop it from moving under the reader. */
export function RefreshStatus({ texts, freshness, paused, onPause }: Props) {
  const { asPath, locale } = useRoute();
  const [scripted, setScripted] = useState(false);
  useEffect(() => setScripted(true), []);
  const here = urlOf({ path: asPath, locale });

  if (!scripted || freshness === "outdated") {
    return (
      <p className={styles.status}>
        {scripted && texts.outdated} <a href={here}>{scripted ? texts.reload : texts.refresh}</a>
      </p>
    );
  }
  const state = paused ? texts.paused : freshness === "lost" ? texts.lost : texts.refreshes;
  return (
    <p className={styles.status}>
      <span data-freshness={paused ? "paused" : freshness}>{state}</span>
      <button type="button" onClick={() => onPause(!paused)}>
        {paused ? texts.resume : texts.pause}
      </button>
    </p>
  );
}
