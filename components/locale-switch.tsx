import Link from "next/link";
import { useRouter } from "next/router";
import { hasLocalePrefixes, languages, locales } from "@/lib/messages/locales";
import { useMessages } from "@/lib/messages/messages";
import { isDynamic } from "@/lib/navigation/pattern";
import { useAsPath } from "@/lib/navigation/use-as-path";
import styles from "./locale-switch.module.css";

/** The present page in the other languages, if there are any. */
export function LocaleSwitch() {
  const { pathname, locale } = useRouter();
  const { shell } = useMessages();
  // A prerendered page may not know its parameters before hydration: then the page without them, or home.
  const [bare] = pathname.split("/[[");
  const here = useAsPath() ?? (bare && !isDynamic(bare) ? bare : "/");
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
