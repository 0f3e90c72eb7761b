import { type ReactNode, useState } from "react";
import buttons from "../button.module.css";
import styles from "./failing-button.module.css";

interface Props {
  children: ReactNode;
  /** The message. */
  failed: string;
  fail: () => void;
}

/** A button whose handler fails, and a message that the page still works. */
export function FailingButton({ children, failed: text, fail }: Props) {
  const [failed, setFailed] = useState(false);

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
        {failed && text}
      </p>
    </div>
  );
}
