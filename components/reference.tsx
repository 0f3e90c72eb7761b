import { useState } from "react";
import { useMessages } from "@/lib/messages/messages";
import buttons from "./button.module.css";
import styles from "./reference.module.css";

/** The reference of an error, with a button to copy it. */
export function Reference({ children }: { children: string }) {
  const { errors } = useMessages();
  const [said, setSaid] = useState<string>();

  async function copy() {
    // A live region speaks when its text changes: the second time, too.
    setSaid("");
    try {
      await navigator.clipboard.writeText(children);
      setSaid(errors.copied);
    } catch {
      // The visitor or a browser policy forbids it, or there is no clipboard: over plain HTTP from
      // another host. Not before the text above is gone.
      await null;
      setSaid(errors.copyFailed);
    }
  }

  return (
    <div className={styles.reference}>
      <p>
        <span>{errors.reference}</span>
        <span role="status">{said}</span>
      </p>
      <code data-fact="reference" dir="ltr">
        {children}
      </code>
      <button type="button" className={`${buttons.button} ${buttons.quiet}`} onClick={copy}>
        {errors.copy}
      </button>
    </div>
  );
}
