import Link from "next/link";
import { type ReactNode, useEffect } from "react";
import { useMessages } from "@/lib/messages/messages";
import { productName } from "@/lib/messages/product-name";
import { restoreScrollAfterHydration } from "@/lib/navigation/scroll";
import { LocaleSwitch } from "./locale-switch";
import { ProgressBar } from "./progress-bar";
import styles from "./shell.module.css";
import { SiteNav } from "./site-nav";
import { Trail } from "./trail";

/** Header, navigation and footer around every page. */
export function Shell({ children }: { children: ReactNode }) {
  const { shell } = useMessages();
  useEffect(restoreScrollAfterHydration, []);
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        {shell.skip}
      </a>
      <header className={styles.header}>
        <ProgressBar />
        {/* On every page, like the links of SiteNav: prefetched on hover only. */}
        <Link href="/" prefetch={false} aria-label={shell.home} className={styles.name}>
          <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
            <path d="M11 2h2v3h5.5L22 8l-3.5 3H13v11h-2V11H5V5h6z" />
          </svg>
          {productName}
        </Link>
        <LocaleSwitch />
      </header>
      <SiteNav />
      <main id="main" tabIndex={-1} className={styles.main}>
        {children}
      </main>
      <footer className={styles.footer}>
        <Trail />
      </footer>
    </div>
  );
}
