import { useRouter } from "next/router";
import button from "@/components/button.module.css";
import { toLocale } from "@/lib/messages/locales";
import { urlOf } from "@/lib/routes/location";
import styles from "./find-form.module.css";
import type { InboxTexts } from "./texts";

interface Props {
  texts: InboxTexts;
  sought: { text: string; wellFormed: boolean } | undefined;
}

/** From the reference a visitor was shown to the error it belongs to. Works without JavaScript. */
export function FindForm({ texts, sought }: Props) {
  const { locale } = useRouter();
  return (
    <search className={styles.find}>
      <form action={urlOf({ path: "/reports#event", locale: toLocale(locale) })}>
        <label htmlFor="event">{texts.find}</label>
        <div>
          <input
            id="event"
            name="event"
            dir="ltr"
            required
            autoComplete="off"
            spellCheck={false}
            defaultValue={sought?.text}
            aria-invalid={sought ? true : undefined}
            aria-describedby={sought && "event-fault"}
          />
          <button type="submit" className={`${button.button} ${button.quiet}`}>
            {texts.findButton}
          </button>
        </div>
        {sought && (
          <p id="event-fault">
            {sought.wellFormed ? texts.notKept : texts.badReference}{" "}
            <bdi dir="ltr">{sought.text}</bdi>
          </p>
        )}
      </form>
    </search>
  );
}
