import Link from "next/link";
import styles from "./empty.module.css";

/** What stands where there is nothing yet: what will come, and how to see it now. */
export function Empty(props: { heading: string; text: string; href: string; link: string }) {
  return (
    <section className={styles.empty}>
      <svg viewBox="0 0 48 36" aria-hidden="true">
        <path d="M2 22 10 4h28l8 18v11a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM2 22h13c0 5 4 8 9 8s9-3 9-8h13" />
      </svg>
      <h2>{props.heading}</h2>
      <p>
        {props.text} <Link href={props.href}>{props.link}</Link>.
      </p>
    </section>
  );
}
