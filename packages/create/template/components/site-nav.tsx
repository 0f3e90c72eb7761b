import Link from "next/link";
import { useRouter } from "next/router";
import { useMessages } from "@/lib/messages/messages";
import styles from "./site-nav.module.css";

const menu = ["/notes", "/feedback"] as const;

/** The menu in the header, the present page marked. */
export function SiteNav() {
  const messages = useMessages();
  const { pathname } = useRouter();
  return (
    <nav className={styles.nav} aria-label={messages.shell.routes}>
      <ul>
        {menu.map((path) => (
          <li key={path}>
            {/* On every page: prefetched on hover only. */}
            <Link
              href={path}
              prefetch={false}
              aria-current={path === pathname ? "page" : undefined}
            >
              {messages.pages[path].title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
