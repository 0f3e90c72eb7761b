import { useEffect, useState } from "react";
import { useMessages } from "@/lib/messages/messages";
import { useTitle } from "./document-title";
import styles from "./error-view.module.css";
import { FeedbackForm } from "./feedback-form";
import { Link } from "./link";

export interface ErrorViewProps {
  /** Where it failed. */
  side: "server" | "browser";
  /** The id of the event at the error-reporting service, 32 hex digits; none where there is none. */
  reference?: string;
  /** Without it, trying again is a full load. */
  onTryAgain?: () => void;
}

/** What a visitor sees when something failed. */
export function ErrorView({ side, reference, onTryAgain }: ErrorViewProps) {
  const { errors } = useMessages();
  useTitle(errors.applicationError);
  return (
    <article className={styles.view}>
      <h1 tabIndex={-1}>{errors.applicationError}</h1>
      <p>{errors[side]}</p>
      <p>{errors.advice}</p>
      <ul className={styles.ways}>
        <li>
          {onTryAgain ? (
            <button type="button" onClick={onTryAgain}>
              {errors.tryAgain}
            </button>
          ) : (
            // A form without an action asks for this very address again, with no script at all.
            <form>
              <button type="submit">{errors.tryAgain}</button>
            </form>
          )}
        </li>
        <li>
          <Link href="/">{errors.home}</Link>
        </li>
      </ul>
      {reference && (
        <>
          <Reference>{reference}</Reference>
          <FeedbackForm reference={reference} />
        </>
      )}
    </article>
  );
}

function Reference({ children }: { children: string }) {
  const { errors } = useMessages();
  const [copied, setCopied] = useState(false);
  const [canCopy, setCanCopy] = useState(false);
  useEffect(() => setCanCopy("clipboard" in navigator), []);

  async function copy() {
    await navigator.clipboard.writeText(children);
    setCopied(true);
  }

  return (
    <p className={styles.reference}>
      <span>{errors.reference}</span>{" "}
      <code data-fact="reference" dir="ltr">
        {children}
      </code>{" "}
      <button type="button" onClick={copy} hidden={!canCopy}>
        {errors.copy}
      </button>
      <span role="status">{copied && errors.copied}</span>
    </p>
  );
}
