import { useMessages } from "@/lib/messages/messages";
import { useRoute } from "@/lib/navigation/route";
import { examples, type Route } from "@/lib/routes/routes";
import { Link } from "./link";
import { Sign } from "./sign";
import styles from "./site-nav.module.css";

/**
 * All routes, the present one marked. Folded into a `<details>` where there is no room for a rail;
 * wide screens show it unfolded by CSS alone.
 */
export function SiteNav() {
  const { shell } = useMessages();
  const { pathname, asPath } = useRoute();
  return (
    <nav className={styles.nav} aria-label={shell.routes}>
      <details key={asPath}>
        <summary>{shell.routes}</summary>
        <ul>
          {(Object.entries(examples) as [Route, string][]).map(([route, path]) => (
            <li key={route}>
              <Link href={path} aria-current={route === pathname ? "page" : undefined}>
                <Sign pattern={route} />
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}
