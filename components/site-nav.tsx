import Link from "next/link";
import { useRouter } from "next/router";
import { useMessages } from "@/lib/site/messages/messages";
import { examples, type Route } from "@/lib/site/routes/routes";
import { Sign } from "./sign";
import styles from "./site-nav.module.css";

/**
 * All routes, the present one marked. Narrow screens fold them into a `<details>`; on wide screens
 * CSS alone shows them unfolded.
 */
export function SiteNav() {
  const { shell } = useMessages();
  const { pathname } = useRouter();
  return (
    <nav className={styles.nav} aria-label={shell.routes}>
      <details key={pathname}>
        <summary>{shell.routes}</summary>
        <ul>
          {(Object.entries(examples) as [Route, string][]).map(([route, path]) => (
            <li key={route}>
              {/* Every page shows these links: prefetched on view, each visit would fetch them all.
                  Without it they are prefetched on hover. */}
              <Link
                href={path}
                prefetch={false}
                aria-current={route === pathname ? "page" : undefined}
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
