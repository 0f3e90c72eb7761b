import type { Removed } from "../removal.ts";
import { formatCount } from "../views/format.ts";
import { filterQuery, ignoredHref, listHref, viewNames } from "../views/hrefs.ts";
import type { ListView } from "../views/page-data.ts";
import { texts } from "../views/texts.ts";
import { RemovalForm } from "./decisions.tsx";
import { ErrorList } from "./error-list.tsx";
import { FeedbackList } from "./feedback-list.tsx";
import { FilterForm } from "./filter-form.tsx";
import { Empty, InboxPage, Section } from "./inbox-page.tsx";
import { PerformanceList } from "./performance-list.tsx";
import { Count, Link } from "./values.tsx";

const { views, empty, unshown } = texts;

/** The page of all reports: errors, performance or feedback. */
export function ReportList({ view, title }: { view: ListView; title: string }) {
  const isFiltered = Object.keys(filterQuery(view.filter)).length > 0;
  return (
    <InboxPage bar={<h1>{title}</h1>}>
      <nav className="tabs" aria-label="Views">
        {viewNames.map((name) => (
          <Link
            key={name}
            href={listHref(name)}
            aria-current={name === view.name ? "page" : undefined}
          >
            {views[name]} <span>{formatCount(view.totals[name])}</span>
          </Link>
        ))}
      </nav>
      {view.removed && <RemovedNote removed={view.removed} />}
      {view.name === "errors" && (view.errors.length > 0 || isFiltered) && (
        <FilterForm view={view} isFiltered={isFiltered} />
      )}
      <div>
        <Rows view={view} isFiltered={isFiltered} />
      </div>
      <Pages view={view} />
      {view.name === "errors" && (
        <Section
          heading="Messages of this user, and about these errors"
          shown={view.feedback.length > 0}
        >
          <FeedbackList rows={view.feedback} />
        </Section>
      )}
      {view.name === "errors" && view.user !== undefined && (
        <RemovalForm
          ask="Remove everything of this user…"
          help="Removed for good: the errors and messages of this user, the messages about these errors, and every whole report that names the user, also among others."
          names={[{ kind: "user", id: view.user, text: `Remove everything of ${view.user}` }]}
        />
      )}
      <Kept view={view} />
    </InboxPage>
  );
}

function Rows({ view, isFiltered }: { view: ListView; isFiltered: boolean }) {
  switch (view.name) {
    case "performance":
      if (view.routes.length === 0 && !view.releases?.length) {
        return <Empty texts={empty.performance} href="/" />;
      }
      return <PerformanceList view={view} />;
    case "feedback":
      if (view.feedback.length === 0) return <Empty texts={empty.feedback} href="/" />;
      return <FeedbackList rows={view.feedback} />;
    default:
      if (view.errors.length > 0) return <ErrorList rows={view.errors} user={view.user} />;
      if (isFiltered) return <Empty texts={empty.filtered} href={listHref("errors")} />;
      if (view.ignored > 0) return <Empty texts={empty.ignored} href={ignoredHref} />;
      return <Empty texts={empty.errors} href="/" />;
  }
}

/** Leads to newer and older rows. */
function Pages({ view: { name, page, lastPage, filter, slowest } }: { view: ListView }) {
  if (lastPage === 1 || slowest) return null;
  const hrefOf = (other: number) => listHref(name, other, filterQuery(filter));
  return (
    <nav className="turn" aria-label="Pages">
      {page > 1 && (
        <Link href={hrefOf(page - 1)} className="button">
          Newer
        </Link>
      )}
      <span>{`Page ${formatCount(page)} of ${formatCount(lastPage)}`}</span>
      {page < lastPage && (
        <Link href={hrefOf(page + 1)} className="button">
          Older
        </Link>
      )}
    </nav>
  );
}

function RemovedNote({ removed }: { removed: Removed }) {
  const counts = [
    `Errors ${formatCount(removed.errors)}`,
    `Messages ${formatCount(removed.messages)}`,
    `Whole reports ${formatCount(removed.reports)}`,
  ];
  return <p role="status">Removed for good: {counts.join(" · ")}</p>;
}

/** How much is kept, and what of it is not shown. */
function Kept({ view: { kept } }: { view: ListView }) {
  const kinds = Object.entries(unshown).flatMap(([kind, name]) => {
    const count = kept.unshown[kind as keyof typeof unshown];
    return count ? [`${name} ${formatCount(count)}`] : [];
  });
  return (
    <p className="note">
      <span>Reports kept: {formatCount(kept.reports)}</span>
      <Count name="Entries that could not be read" of={kept.unreadable} />
      <Count name="Entries dropped (too old, or no space left)" of={kept.dropped} />
      {kinds.length > 0 && <span>Kept, but not shown here: {kinds.join(" · ")}</span>}
    </p>
  );
}
