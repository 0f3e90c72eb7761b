import { type Locale, languageNames } from "@/lib/messages/locales.js";
import { useMessages } from "@/lib/messages/messages";
import { useRoute } from "@/lib/navigation/route";
import { useAsPath } from "@/lib/navigation/use-as-path";
import { examples, type Route } from "@/lib/routes/routes";
import { Link } from "./link";
import styles from "./locale-switch.module.css";

/** The present page in the other languages. */
export function LocaleSwitch() {
  const { pathname, locale } = useRoute();
  const { shell } = useMessages();
  // Prerendered pages don't know their parameters; until the browser does, any example will do.
  const here = useAsPath() ?? examples[pathname as Route] ?? "/";
  return (
    <nav className={styles.switch} aria-label={shell.languages}>
      {(Object.keys(languageNames) as Locale[]).map((code) => (
        <Link
          key={code}
          href={here}
          locale={code}
          lang={code}
          hrefLang={code}
          aria-current={code === locale ? "true" : undefined}
        >
          {languageNames[code]}
        </Link>
      ))}
    </nav>
  );
}
