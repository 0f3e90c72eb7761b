import { useEffect, useRef } from "react";
import { useMessages } from "@/lib/messages/messages";
import { useRoute } from "@/lib/navigation/route";
import buttons from "./button.module.css";
import { useTitle } from "./document-title";
import styles from "./error-view.module.css";
import { FeedbackForm } from "./feedback-form";
import { Link } from "./link";
import { Reference } from "./reference";

export interface ErrorViewProps {
  /** Where it failed. */
  side: "server" | "browser";
  /** The id of the event at the error-reporting service, 32 hex digits. */
  reference: string;
  /** Without it, trying again is a full load. With it, the view took the place of a page. */
  onTryAgain?: () => void;
}

/** What a visitor sees when something failed. */
export function ErrorView({ side, reference, onTryAgain }: ErrorViewProps) {
  const { errors } = useMessages();
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(errors.applicationError);

  const tookOver = onTryAgain !== undefined;
  useEffect(() => {
    // What had the focus is gone with the page.
    if (tookOver) heading.current?.focus();
  }, [tookOver]);

  return (
    <article className={styles.view}>
      <h1 ref={heading} tabIndex={-1}>
        {errors.applicationError}
      </h1>
      <p className={styles.side}>{errors[side]}</p>
      <p>{errors.advice}</p>
      <div className={styles.ways}>
        {onTryAgain ? (
          <button type="button" className={buttons.button} onClick={onTryAgain}>
            {errors.tryAgain}
          </button>
        ) : (
          <SameAddress>{errors.tryAgain}</SameAddress>
        )}
        <Link href="/" className={`${buttons.button} ${buttons.quiet}`}>
          {errors.home}
        </Link>
      </div>
      <Reference>{reference}</Reference>
      <FeedbackForm reference={reference} />
    </article>
  );
}

/** Asks for this very address again, with no script at all. */
function SameAddress({ children }: { children: string }) {
  const { asPath } = useRoute();
  const query = new URLSearchParams(/\?[^#]*/.exec(asPath)?.[0]);
  return (
    // A form without an action goes to where the page came from, but leaves its query behind.
    <form>
      {[...query].map(([name, value]) => (
        <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" className={buttons.button}>
        {children}
      </button>
    </form>
  );
}
