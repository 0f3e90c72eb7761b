import type { Removed } from "../removal.ts";
import { formatCount } from "../views/format.ts";
import { filterQuery, ignoredHref, listHref, viewNames } from "../views/hrefs.ts";
import type { ListView } from "../views/page-data.ts";
import { texts } from "../views/texts.ts";
import { RemovalForm } from "./decisions.tsx";
import { ErrorList } from "./error-list.tsx";
import { FeedbackList } from "./feedback-list.tsx";
import { FilterForm } from "./filter-form.tsx";
import { InboxPage, Section } from "./inbox-page.tsx";
import { PerformanceList } from "./performance-list.tsx";
import { Count, Link } from "./values.tsx";

const { views, empty, list, unshown, remove } = texts;

/** The page of all reports: errors, performance or feedback. */
export function ReportList({ view, title }: { view: ListView; title: string }) {
  const isFiltered = Object.keys(filterQuery(view.filter)).length > 0;
  return (
    <InboxPage bar={<h1>{title}</h1>}>
      <nav className="tabs" aria-label={views.label}>
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
        <Section heading={list.ofUser} shown={view.feedback.length > 0}>
          <FeedbackList rows={view.feedback} />
        </Section>
      )}
      {view.name === "errors" && view.user !== undefined && (
        <RemovalForm
          ask={remove.askUser}
          help={remove.helpUser}
          names={[{ kind: "user", id: view.user, text: `${remove.user} ${view.user}` }]}
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
    <nav className="line" aria-label={list.pages}>
      {page > 1 && <Link href={hrefOf(page - 1)}>{list.newer}</Link>}
      {page < lastPage && <Link href={hrefOf(page + 1)}>{list.older}</Link>}
    </nav>
  );
}

function RemovedNote({ removed }: { removed: Removed }) {
  const counts = (["errors", "messages", "reports"] as const).map(
    (name) => `${remove[name]} ${formatCount(removed[name])}`,
  );
  return (
    <p role="status">
      {remove.done}: {counts.join(" · ")}
    </p>
  );
}

/** How much is kept, and what of it is not shown. */
function Kept({ view: { kept } }: { view: ListView }) {
  const kinds = Object.entries(unshown).flatMap(([kind, name]) => {
    const count = kept.unshown[kind as keyof typeof unshown];
    return count ? [`${name} ${formatCount(count)}`] : [];
  });
  return (
    <p className="note">
      <span>
        {list.kept}: {formatCount(kept.reports)}
      </span>
      <Count name={list.unreadable} of={kept.unreadable} />
      <Count name={list.dropped} of={kept.dropped} />
      {kinds.length > 0 && (
        <span>
          {list.unshown}: {kinds.join(" · ")}
        </span>
      )}
    </p>
  );
}

/** Says why there are no rows, and what to do about it. */
function Empty({ texts, href }: { texts: (typeof empty)["errors"]; href: string }) {
  const { heading, text, link } = texts;
  return (
    <section className="empty">
      <svg viewBox="0 0 48 36" aria-hidden="true">
        <path d="M2 22 10 4h28l8 18v11a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM2 22h13c0 5 4 8 9 8s9-3 9-8h13" />
      </svg>
      <h2>{heading}</h2>
      <p>
        {text} <Link href={href}>{link}</Link>.
      </p>
    </section>
  );
}
