import Link from "next/link";
import styles from "./example-links.module.css";

/** Links to other URLs of the same pattern. */
export function ExampleLinks({ label, hrefs }: { label: string; hrefs: string[] }) {
  return (
    <nav className={styles.links} aria-label={label}>
      <h2>{label}</h2>
      <ul>
        {hrefs.map((href) => (
          <li key={href}>
            <Link href={href} dir="ltr">
              {href}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
