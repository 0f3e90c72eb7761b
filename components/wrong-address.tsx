import Link from "next/link";
import { useMessages } from "@/lib/messages/messages";
import buttons from "./button.module.css";
import styles from "./error-view.module.css";
import { PageHead } from "./page-head";

/**
 * What a visitor sees at a URL that has no page (404) or that can't be decoded (400). Neither is a
 * failure of the app, so nothing is reported.
 *
 * @param props.path the requested URL path; undefined if it can't be decoded
 */
export function WrongAddress({ path }: { path?: string }) {
  const { errors } = useMessages();
  const [heading, advice] =
    path === undefined
      ? [errors.badRequest, errors.badRequestAdvice]
      : [errors.notFound, errors.notFoundAdvice];
  return (
    <article className={styles.view}>
      <PageHead title={heading} description={advice} />
      <h1>{heading}</h1>
      {path !== undefined && (
        <p>
          {errors.notFoundAt} <code dir="ltr">{path}</code>
        </p>
      )}
      <p>{advice}</p>
      <div className={styles.ways}>
        <Link href="/" className={buttons.button}>
          {errors.home}
        </Link>
        <Link href="/feedback" className={`${buttons.button} ${buttons.quiet}`}>
          {errors.tell}
        </Link>
      </div>
    </article>
  );
}
