import { type ReactNode, useState } from "react";
import { useMessages } from "@/lib/messages/messages";
import buttons from "../button.module.css";
import styles from "./failing-button.module.css";

/** A button whose handler fails, and a message that the page still works. */
export function FailingButton({ children, fail }: { children: ReactNode; fail: () => void }) {
  const [failed, setFailed] = useState(false);
  const { page } = useMessages();

  function onClick() {
    setFailed(true);
    fail();
  }

  return (
    <div>
      <button type="button" className={buttons.button} onClick={onClick}>
        {children}
      </button>
      <p role="status" className={styles.outcome}>
        {failed && page.failed}
      </p>
    </div>
  );
}
