import { useMessages } from "@/lib/messages/messages";
import buttons from "./button.module.css";
import { useTitle } from "./document-title";
import styles from "./error-view.module.css";
import { Link } from "./link";

/**
 * What a visitor sees where there is nothing to see: no failure of ours, so nothing is reported.
 *
 * @param props.path the URL path that was asked for; none where it can't even be read
 */
export function WrongAddress({ path }: { path?: string }) {
  const { errors } = useMessages();
  const heading = path === undefined ? errors.badRequest : errors.notFound;
  useTitle(heading);
  return (
    <article className={styles.view}>
      <h1 tabIndex={-1}>{heading}</h1>
      {path !== undefined && (
        <p className={styles.side}>
          {errors.notFoundAt}{" "}
          <code dir="ltr" className={styles.path}>
            {path}
          </code>
        </p>
      )}
      <p>{path === undefined ? errors.badRequestAdvice : errors.notFoundAdvice}</p>
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
