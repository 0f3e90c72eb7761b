import Link from "next/link";
import type { InboxProps } from "@/lib/inbox/page-answers";
import type { Removed } from "@/lib/inbox/removal";
import { formatCount } from "@/lib/inbox/views/format";
import { filterQuery, listHref, viewNames } from "@/lib/inbox/views/hrefs";
import type { ListView } from "@/lib/inbox/views/page-data";
import { inboxMessages } from "@/lib/messages/inbox";
import { pages } from "@/lib/navigation/table";
import { RemovalForm } from "./decisions";
import { ErrorList } from "./error-list";
import { FeedbackList } from "./feedback-list";
import { FilterForm } from "./filter-form";
import styles from "./inbox.module.css";
import { InboxPage, Section } from "./inbox-page";
import { PerformanceList } from "./performance-list";
import { useFresh } from "./use-fresh";
import { Count } from "./values";

const { title, views, empty, list, unshown, remove } = inboxMessages;

/** The page of all reports: errors, performance or feedback. */
export function ReportList(given: InboxProps<ListView>) {
  const fresh = useFresh(given);
  const { view } = fresh;
  const isFiltered = Object.keys(filterQuery(view.filter)).length > 0;
  return (
    <InboxPage
      title={`${views[view.name]} · ${title}`}
      fresh={fresh}
      bar={<h1 tabIndex={-1}>{title}</h1>}
    >
      <nav className={styles.tabs} aria-label={views.label}>
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
          key={view.user}
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
      if (view.feedback.length === 0) return <Empty texts={empty.feedback} href="/feedback" />;
      return <FeedbackList rows={view.feedback} />;
    default:
      if (view.errors.length > 0) return <ErrorList rows={view.errors} user={view.user} />;
      if (isFiltered) return <Empty texts={empty.filtered} href="/reports" />;
      if (view.ignored > 0) return <Empty texts={empty.ignored} href="/reports?state=ignored" />;
      return <Empty texts={empty.errors} href="/failures" />;
  }
}

/** Leads to newer and older rows. */
function Pages({ view: { name, page, lastPage, filter, slowest } }: { view: ListView }) {
  if (lastPage === 1 || slowest) return null;
  const hrefOf = (other: number) => listHref(name, other, filterQuery(filter));
  return (
    <nav className={styles.line} aria-label={list.pages}>
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
    <p className={styles.note}>
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

/** Says why there are no rows, and what to do about it. A team may have taken the page for it out. */
function Empty({ texts, href }: { texts: Partial<(typeof empty)["errors"]>; href: string }) {
  const { heading, text, invitation, link } = texts;
  return (
    <section className={styles.empty}>
      <svg viewBox="0 0 48 36" aria-hidden="true">
        <path d="M2 22 10 4h28l8 18v11a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM2 22h13c0 5 4 8 9 8s9-3 9-8h13" />
      </svg>
      <h2>{heading}</h2>
      <p>
        {text}
        {href.replace(/\?.*/, "") in pages && (
          <>
            {" "}
            {invitation} <Link href={href}>{link}</Link>.
          </>
        )}
      </p>
    </section>
  );
}
