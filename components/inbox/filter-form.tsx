import Link from "next/link";
import { askableStates, filteredParts } from "@/lib/inbox/model/error-filter";
import { formatCount } from "@/lib/inbox/views/format";
import type { ListView } from "@/lib/inbox/views/page-data";
import { inboxMessages } from "@/lib/messages/inbox";
import figures from "./figures.module.css";
import styles from "./filter-form.module.css";
import shared from "./inbox.module.css";
import { quietButton, useUrl } from "./values";

const { find, origins, events } = inboxMessages;
/** Of values that are no names. */
const texts: Record<string, Record<string, string>> = { origin: origins, kind: events.kinds };

/** Searches and filters the errors. What is set stands in the URL, so it works without JavaScript. */
export function FilterForm({ view, isFiltered }: { view: ListView; isFiltered: boolean }) {
  const { filter, values, unknownReference, ignored } = view;
  const isOpen = filter.state !== undefined || Object.keys(filter.parts).length > 0;
  return (
    <search className={styles.find}>
      {/* React leaves a <select> as it is when its defaultValue changes. */}
      <form key={JSON.stringify(filter)} action={useUrl("/reports")}>
        <div className={styles.search}>
          <div>
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
              aria-describedby={unknownReference ? "q-fault" : undefined}
            />
          </div>
          <button type="submit" className={quietButton}>
            {find.button}
          </button>
        </div>
        {unknownReference && (
          <p id="q-fault" className={figures.poor}>
            {find.notKept}
          </p>
        )}
        <details open={isOpen}>
          <summary>{find.filters}</summary>
          <div className={styles.parts}>
            <Choice
              name="state"
              label={find.state}
              value={filter.state}
              any={view.user === undefined ? find.notIgnored : find.any}
              choices={askableStates}
              texts={find.states}
            />
            {filteredParts.map((name) => (
              <Choice
                key={name}
                name={name}
                label={find.parts[name]}
                value={filter.parts[name]}
                any={find.any}
                choices={values?.[name] ?? []}
                texts={texts[name]}
              />
            ))}
            <button type="submit" className={quietButton}>
              {find.apply}
            </button>
          </div>
        </details>
      </form>
      {isFiltered ? (
        <Link href="/reports" className={shared.link}>
          {find.clear}
        </Link>
      ) : (
        ignored > 0 && (
          <Link href="/reports?state=ignored" className={shared.link}>
            {find.states.ignored}: {formatCount(ignored)}
          </Link>
        )
      )}
    </search>
  );
}

/** A list to choose one value from, or any. Nothing where there is no choice, and none is set. */
function Choice(props: {
  name: string;
  label: string;
  value: string | undefined;
  any: string;
  choices: readonly string[];
  texts: Record<string, string> | undefined;
}) {
  const { name, label, value, any, texts } = props;
  const choices = [...new Set([...props.choices, ...(value === undefined ? [] : [value])])];
  if (choices.length < 2 && value === undefined) return null;
  return (
    <div>
      <label htmlFor={name}>{label}</label>
      <select id={name} name={name} defaultValue={value}>
        <option value="">{any}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {texts && Object.hasOwn(texts, choice) ? texts[choice] : choice}
          </option>
        ))}
      </select>
    </div>
  );
}
