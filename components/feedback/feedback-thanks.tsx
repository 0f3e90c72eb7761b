import { useRouter } from "next/router";
import { type ReactNode, useEffect, useState } from "react";
import { useMessages } from "@/lib/messages/messages";
import { urlOf } from "@/lib/navigation/location";
import buttons from "../button.module.css";
import form from "./feedback-form.module.css";
import styles from "./feedback-thanks.module.css";

/**
 * The form, or thanks in its place at `#thanks`. CSS decides: the server sends visitors without
 * JavaScript there, to a prerendered page that can't know about it.
 */
export function FeedbackThanks({ children }: { children: ReactNode }) {
  const { feedback } = useMessages();
  const { locale } = useRouter();
  const [needed, setNeeded] = useState(true);
  // With JavaScript, the form itself shows the thanks.
  useEffect(() => setNeeded(location.hash === "#thanks"), []);
  return (
    <div>
      {needed && (
        <div id="thanks" className={`${form.thanks} ${styles.thanks}`} tabIndex={-1}>
          <p>{feedback.thanks}</p>
          {/* A hard navigation: a client navigation would leave the CSS `:target` as it is. */}
          <a
            href={urlOf({ path: "/feedback", locale })}
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
