import { type ReactNode, useEffect, useState } from "react";
import { useMessages } from "@/lib/messages/messages";
import { useRoute } from "@/lib/navigation/route";
import { urlOf } from "@/lib/routes/location";
import buttons from "./button.module.css";
import styles from "./feedback-thanks.module.css";

/**
 * The form, or, at `#thanks`, thanks in place of it. Decided by CSS, because that is where a
 * visitor without JavaScript arrives on a page that was made beforehand.
 */
export function FeedbackThanks({ children }: { children: ReactNode }) {
  const { feedback } = useMessages();
  const { locale } = useRoute();
  const [needed, setNeeded] = useState(true);
  // With JavaScript the form itself says thanks.
  useEffect(() => setNeeded(location.hash === "#thanks"), []);
  return (
    <div>
      {needed && (
        <div id="thanks" className={styles.thanks} tabIndex={-1}>
          <p>{feedback.thanks}</p>
          {/* A full load, which the `:target` does not outlast. */}
          <a
            href={urlOf({ path: "/feedback", locale })}
            target="_self"
            className={`${buttons.button} ${buttons.quiet}`}
          >
            {feedback.again}
          </a>
        </div>
      )}
      <div className={styles.form}>{children}</div>
    </div>
  );
}
