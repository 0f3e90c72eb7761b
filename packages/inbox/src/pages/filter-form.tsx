import { askableStates, filteredParts } from "../model/error-filter.ts";
import { formatCount } from "../views/format.ts";
import { ignoredHref, listHref } from "../views/hrefs.ts";
import type { ListView } from "../views/page-data.ts";
import { texts } from "../views/texts.ts";
import { Link, thisPage } from "./values.tsx";

/** The texts of the values that are words of the inbox, by filter: the others are names. */
const valueTexts: Record<string, Record<string, string>> = {
  origin: texts.origins,
  kind: texts.kinds,
};

/** Searches and filters the errors. What is set stands in the URL, so it works without JavaScript. */
export function FilterForm({ view, isFiltered }: { view: ListView; isFiltered: boolean }) {
  const { filter, values, unknownReference, ignored } = view;
  const isOpen = filter.state !== undefined || Object.keys(filter.parts).length > 0;
  return (
    <search className="find">
      <form action={thisPage().basePath + listHref("errors")}>
        <div className="search">
          <div>
            <label htmlFor="q">Search by type, message, route, file, reference or user.id:…</label>
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
          <button type="submit" className="button">
            Search
          </button>
        </div>
        {unknownReference && (
          <p id="q-fault" className="poor">
            No error with this reference is kept here.
          </p>
        )}
        <details open={isOpen}>
          <summary>Filters</summary>
          <div className="parts">
            <Choice
              name="state"
              label="State"
              value={filter.state}
              any={view.user === undefined ? "all but ignored" : "any"}
              choices={askableStates}
              texts={texts.states}
            />
            {filteredParts.map((name) => (
              <Choice
                key={name}
                name={name}
                label={texts.parts[name]}
                value={filter.parts[name]}
                any="any"
                choices={values?.[name] ?? []}
                texts={valueTexts[name]}
              />
            ))}
            <button type="submit" className="button">
              Apply
            </button>
          </div>
        </details>
      </form>
      {isFiltered ? (
        <Link href={listHref("errors")} className="link">
          Clear search and filters
        </Link>
      ) : (
        ignored > 0 && (
          <Link href={ignoredHref} className="link">
            {texts.states.ignored}: {formatCount(ignored)}
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
    <div data-key={name}>
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
