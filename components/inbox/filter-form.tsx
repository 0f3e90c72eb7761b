import Link from "next/link";
import { useRouter } from "next/router";
import button from "@/components/button.module.css";
import { askableStates } from "@/lib/inbox/model/error-filter";
import type { FilterView } from "@/lib/inbox/views/list-view";
import { inboxMessages } from "@/lib/messages/inbox";
import { toLocale } from "@/lib/messages/locales";
import { urlOf } from "@/lib/routes/location";
import styles from "./filter-form.module.css";

/** Searches and filters the errors. What is set stands in the URL, so it works without JavaScript. */
export function FilterForm({ filter }: { filter: FilterView }) {
  const { locale } = useRouter();
  const { find, origins, events } = inboxMessages;
  const isFiltered = filter.state !== "" || filter.parts.some(({ value }) => value !== "");
  return (
    <search className={styles.find}>
      <form action={urlOf({ path: "/reports", locale: toLocale(locale) })}>
        <div className={styles.search}>
          <label htmlFor="q">{find.label}</label>
          <input
            type="search"
            id="q"
            name="q"
            dir="auto"
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            defaultValue={filter.search}
            aria-describedby={filter.unknownReference ? "q-fault" : undefined}
          />
          <button type="submit" className={`${button.button} ${button.quiet}`}>
            {find.button}
          </button>
        </div>
        {filter.unknownReference && (
          <p id="q-fault" className={styles.fault}>
            {find.notKept}
          </p>
        )}
        <details open={isFiltered}>
          <summary>{find.filters}</summary>
          <div className={styles.parts}>
            <Choice
              name="state"
              label={find.state}
              value={filter.state}
              any={find.notIgnored}
              choices={askableStates.map((state) => [state, find.states[state]])}
            />
            {filter.parts.map(({ name, value, choices }) => (
              <Choice
                key={name}
                name={name}
                label={find.parts[name]}
                value={value}
                any={find.any}
                choices={choices.map((choice) => [
                  choice,
                  name === "origin"
                    ? origins[choice as keyof typeof origins]
                    : name === "kind"
                      ? events.kinds[choice as keyof typeof events.kinds]
                      : choice,
                ])}
              />
            ))}
            <button type="submit" className={`${button.button} ${button.quiet}`}>
              {find.apply}
            </button>
          </div>
        </details>
      </form>
      {filter.active ? (
        <Link href="/reports" className={styles.link}>
          {find.clear}
        </Link>
      ) : (
        filter.ignored !== undefined && (
          <Link href="/reports?state=ignored" className={styles.link}>
            {find.states.ignored}: {filter.ignored}
          </Link>
        )
      )}
    </search>
  );
}

/** A list to choose one value from, or any. */
function Choice(props: {
  name: string;
  label: string;
  value: string;
  any: string;
  choices: [value: string, text: string | undefined][];
}) {
  const { name, label, value, any, choices } = props;
  return (
    <div>
      <label htmlFor={name}>{label}</label>
      <select id={name} name={name} defaultValue={value}>
        <option value="">{any}</option>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text ?? choice}
          </option>
        ))}
      </select>
    </div>
  );
}
