import { partsOf } from "@/lib/navigation/pattern";
import styles from "./sign.module.css";

/**
 * A route pattern as on a road sign: fixed parts plain, parameters in the accent colour. Left to
 * right in every language, like a URL.
 */
export function Sign({ pattern }: { pattern: string }) {
  return (
    <bdi dir="ltr" className={styles.sign}>
      {partsOf(pattern).map(({ text, dynamic }) =>
        dynamic ? (
          <span key={text} className={styles.open}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </bdi>
  );
}
