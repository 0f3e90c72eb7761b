import Link from "next/link";
import { useRouter } from "next/router";
import { hasLocalePrefixes, languages, locales } from "@/lib/messages/locales";
import { useMessages } from "@/lib/messages/messages";
import { examples, type Route } from "@/lib/navigation/routes";
import { useAsPath } from "@/lib/navigation/use-as-path";
import styles from "./locale-switch.module.css";

/** The present page in the other languages, if there are any. */
export function LocaleSwitch() {
  const { pathname, locale } = useRouter();
  const { shell } = useMessages();
  // A prerendered page may not know its parameters before hydration; then an example has to do.
  const here = useAsPath() ?? examples[pathname as Route] ?? "/";
  if (!hasLocalePrefixes) return null;
  return (
    <nav className={styles.switch} aria-label={shell.languages}>
      {locales.map((code) => (
        <Link
          key={code}
          href={here}
          locale={code}
          lang={code}
          hrefLang={code}
          aria-current={code === locale ? "true" : undefined}
          // Few visitors change the language: prefetched on hover only, as in SiteNav.
          prefetch={false}
          suppressHydrationWarning
        >
          {languages[code].name}
        </Link>
      ))}
    </nav>
  );
}
