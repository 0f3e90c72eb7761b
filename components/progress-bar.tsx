import { useEffect, useState } from "react";
import { useMessages } from "@/lib/messages/messages";
import { isPending, useNavigation } from "@/lib/navigation/stages";
import styles from "./progress-bar.module.css";

/** Milliseconds of a navigation before the bar shows: for a quick one it would only flicker. */
const delay = 150;

/** Shows that a navigation is under way. */
export function ProgressBar() {
  const pending = isPending(useNavigation());
  const [shown, setShown] = useState(false);
  const label = useMessages().shell.loading;

  useEffect(() => {
    if (!pending) return setShown(false);
    const timer = setTimeout(setShown, delay, true);
    return () => clearTimeout(timer);
  }, [pending]);

  return pending && shown && <div role="progressbar" aria-label={label} className={styles.bar} />;
}
