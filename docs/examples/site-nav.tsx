import Link from "next/link";
import { useRouter } from "next/router";
import type { Messages } from "@/lib/messages/en";
import { useMessages } from "@/lib/messages/messages";
import styles from "./site-nav.module.css";

/** Pages that have texts. */
const menu = ["/"] as const satisfies (keyof Messages["pages"])[];

/** The menu in the header, the present page marked. */
export function SiteNav() {
  const messages = useMessages();
  const { pathname } = useRouter();
  return (
    <nav className={styles.nav} aria-label={messages.shell.routes}>
      <ul>
        {menu.map((route) => (
          <li key={route}>
            <Link
              href={route}
              prefetch={false}
              aria-current={route === pathname ? "page" : undefined}
            >
              {messages.pages[route].title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
