import { useRouter } from "next/router";
import button from "@/components/button.module.css";
import type { ListView } from "@/lib/inbox/list-view";
import { toLocale } from "@/lib/messages/locales.js";
import { urlOf } from "@/lib/routes/location";
import styles from "./find-form.module.css";
import { useInboxMessages } from "./use-inbox-messages";

/**
 * Finds an error by the reference that a visitor was shown. Works without JavaScript.
 *
 * @param props.sought what was looked up and not found
 */
export function FindForm({ sought }: { sought: ListView["sought"] }) {
  const { locale } = useRouter();
  const { find } = useInboxMessages();
  return (
    <search className={styles.find}>
      <form action={urlOf({ path: "/reports#event", locale: toLocale(locale) })}>
        <label htmlFor="event">{find.label}</label>
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
            {find.button}
          </button>
        </div>
        {sought && (
          <p id="event-fault">
            {sought.isReference ? find.notKept : find.noReference}{" "}
            <bdi dir="ltr">{sought.text}</bdi>
          </p>
        )}
      </form>
    </search>
  );
}
