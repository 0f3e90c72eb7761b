import styles from "./sign.module.css";

/**
 * A route pattern as on a road sign: fixed parts plain, parameters in the accent colour. Left to
 * right in every language, like a URL.
 */
export function Sign({ pattern }: { pattern: string }) {
  return (
    <bdi dir="ltr" className={styles.sign}>
      {pattern.split(/(\[.*?\]+)/).map((part) =>
        part.startsWith("[") ? (
          <span key={part} className={styles.open}>
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </bdi>
  );
}
