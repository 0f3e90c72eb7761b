import Link from "next/link";
import { useRouter } from "next/router";
import { useMessages } from "@/lib/messages/messages";
import { focusHeading } from "@/lib/navigation/arrival";
import buttons from "./button.module.css";
import styles from "./error-view.module.css";
import { FeedbackForm } from "./feedback/feedback-form";
import { PageHead } from "./page-head";
import { Reference } from "./reference";

export interface ErrorViewProps {
  /** Where the page failed. */
  side: "server" | "browser";
  /** The id of the event at the error-reporting service, 32 hex digits. */
  reference: string;
  /** Given where the view replaces a page that was there. Without it, trying again is a hard navigation. */
  onTryAgain?: () => void;
}

/** What a visitor sees when a page failed. */
export function ErrorView({ side, reference, onTryAgain }: ErrorViewProps) {
  const { errors } = useMessages();
  return (
    <article className={styles.view}>
      <PageHead title={errors.applicationError} description={errors.advice} />
      <h1 ref={onTryAgain && focusHeading} tabIndex={-1}>
        {errors.applicationError}
      </h1>
      <p>{errors[side]}</p>
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

/** Loads the present URL again, without JavaScript too. */
function SameAddress({ children }: { children: string }) {
  const { asPath } = useRouter();
  const query = new URLSearchParams(/\?[^#]*/.exec(asPath)?.[0]);
  return (
    // A form without an action goes to the page's URL, but drops its query.
    <form>
      {[...query].map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name may come twice, with one value
        <input key={index} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" className={buttons.button}>
        {children}
      </button>
    </form>
  );
}
