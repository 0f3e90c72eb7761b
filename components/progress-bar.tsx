import { useEffect, useState } from "react";
import { useMessages } from "@/lib/messages/messages";
import { isPending } from "@/lib/navigation/lifecycle";
import { useNavigation } from "@/lib/navigation/use-navigation";
import styles from "./progress-bar.module.css";

/** Milliseconds a navigation may take before it is worth showing. */
const patience = 150;

/** Shows that a navigation is under way, once it takes longer than a blink. */
export function ProgressBar() {
  const pending = isPending(useNavigation());
  const [shown, setShown] = useState(false);
  const label = useMessages().shell.loading;

  useEffect(() => {
    if (!pending) return setShown(false);
    const timer = setTimeout(setShown, patience, true);
    return () => clearTimeout(timer);
  }, [pending]);

  return pending && shown && <div role="progressbar" aria-label={label} className={styles.bar} />;
}
