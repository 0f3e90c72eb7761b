import styles from "./sign.module.css";

/**
 * A route pattern as a road sign shows it: fixed parts plain, what the URL leaves open set off.
 * Always left to right, like the URL it stands for.
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
