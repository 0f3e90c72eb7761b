import Link from "next/link";
import { useRouter } from "next/router";
import styles from "./long.module.css";

/** A page with targets far below, and links of all kinds to them. */
export default function Long() {
  const router = useRouter();
  // A plain link bears base path and locale itself.
  const prefix = router.basePath + (router.locale === "de" ? "/de" : "");
  return (
    <>
      <h1>Long</h1>
      <p data-testid="here">{router.asPath}</p>
      <ul>
        {["sec", "first", "second", "100%", "inside", "hidden"].map((id) => (
          <li key={id}>
            <a href={`#${id}`}>To {id}</a>
          </li>
        ))}
        <li>
          <a href={`${prefix}${router.asPath.replace(/[?#].*/, "")}#sec`}>By path to sec</a>
        </li>
        {["first", "second"].map((id) => (
          <li key={id}>
            <Link href={`#${id}`}>Softly to {id}</Link>
          </li>
        ))}
        {Object.entries({
          isr: "/p/isr",
          other: "/p/other",
          styled: "/p/styled",
          server: "/p/server",
          autofocus: "/p/autofocus",
          effect: "/p/effect",
          download: "/api/p/download",
          "rewritten dynamic": "/old/1",
          "rewritten static": "/alias",
          "rewritten incremental": "/go/isr",
        }).map(([name, href]) => (
          <li key={href}>
            <Link href={href} prefetch={href.startsWith("/p/") ? false : undefined}>
              Link to {name}
            </Link>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => void router.push("/p/server")}>
        Push server
      </button>
      <section id="sec" className={styles.far}>
        Section
      </section>
      <section id="first" className={styles.far}>
        First
      </section>
      <section id="second" className={styles.far}>
        Second
      </section>
      <section id="100%" className={styles.far}>
        All of it
      </section>
      <details className={styles.far}>
        <summary>More</summary>
        <p id="inside">Inside</p>
      </details>
      <div id="hidden" hidden={"until-found" as unknown as boolean} className={styles.far}>
        Until found
      </div>
      <p className={styles.far}>The end</p>
    </>
  );
}
