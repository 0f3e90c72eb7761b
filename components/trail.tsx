import { useMessages } from "@/lib/messages/messages";
import { useNavigation } from "@/lib/navigation/stages";
import styles from "./trail.module.css";

/** The stages of the last client navigation, each shown when it is reached. */
export function Trail() {
  const { stages } = useNavigation();
  return (
    <p className={styles.trail}>
      <span>{useMessages().shell.lastNavigation}</span>
      <span data-fact="navigation" className={styles.stations} dir="ltr">
        {stages.map((stage, index) => (
          <span key={stage} data-stage={stage}>
            {index ? " " : ""}
            {stage}
          </span>
        ))}
      </span>
    </p>
  );
}
