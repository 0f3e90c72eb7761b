import Link from "next/link";
import { useRouter } from "next/router";
import { useMessages } from "@/lib/messages/messages";
import { placeholders } from "./placeholders/routes";
import { Sign } from "./sign";
import styles from "./site-nav.module.css";

/**
 * All routes, the present one marked: as the present page, if its link leads here. Narrow screens fold
 * them into a `<details>`, anew on each page; on wide screens CSS alone shows them unfolded.
 */
export function SiteNav() {
  const { shell } = useMessages();
  const { pathname, asPath } = useRouter();
  const here = asPath.replace(/[?#].*/, "");
  return (
    <nav className={styles.nav} aria-label={shell.routes}>
      <details key={here}>
        <summary>{shell.routes}</summary>
        <ul>
          {placeholders.map(({ route, path = route }) => (
            <li key={route}>
              {/* Every page shows these links: prefetched on view, each visit would fetch them all.
                  Without it they are prefetched on hover. */}
              <Link
                href={path}
                prefetch={false}
                aria-current={route === pathname ? (path === here ? "page" : "true") : undefined}
              >
                <Sign pattern={route} />
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}
