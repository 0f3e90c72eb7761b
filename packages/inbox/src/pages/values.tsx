import type { Origin } from "@signpost/relay/store";
import { type ComponentProps, Fragment, type ReactNode } from "react";
import type { EventKind } from "../model/error-records.ts";
import { formatAgo, formatCount, formatDateAndTime } from "../views/format.ts";
import { texts } from "../views/texts.ts";

/** What every part of a page may need to know of it. */
export interface Page {
  /** When its data was read, in milliseconds since the epoch. */
  now: number;
  /** Its own path and query, with the base path. */
  url: string;
  basePath: string;
}

/**
 * The page that is being rendered, which is one synchronous call. A variable, as contexts are refused where a bundler
 * takes this along: in Next's instrumentation, React is that of server components.
 */
let rendered: Page = { now: 0, url: "", basePath: "" };

export function thisPage(): Page {
  return rendered;
}

/** @param render must not be asynchronous */
export function onPage<T>(page: Page, render: () => T): T {
  rendered = page;
  return render();
}

/**
 * A link to a page of the app.
 *
 * @param props.href without base path
 */
export function Link({ href, ...props }: ComponentProps<"a"> & { href: string }) {
  const { basePath } = thisPage();
  return <a {...props} href={basePath + href} />;
}

/** A route pattern as on a road sign: fixed segments plain, parameters in the accent colour. May wrap after each slash. */
export function Sign({ pattern }: { pattern: string }) {
  return (
    <bdi dir="ltr" className="sign">
      {pattern.split("/").map((segment, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pattern may have the same segment twice
        <Fragment key={i}>
          {i > 0 && "/"}
          {i > 0 && <wbr />}
          {segment.startsWith("[") ? <b>{segment}</b> : segment}
        </Fragment>
      ))}
    </bdi>
  );
}

/** @returns what names an error by its type, and a message by its level */
export function headlineOf({ kind, type }: { kind: EventKind; type: string }): string {
  return kind === "error" ? type : `${texts.kinds.message} · ${type}`;
}

/** What names an error, and what it says, which may be written the other way. */
export function Subject({ of }: { of: { kind: EventKind; type: string; message: string } }) {
  return (
    <>
      <b>{headlineOf(of)}</b> <bdi>{of.message}</bdi>
    </>
  );
}

export function originsText(origins: readonly Origin[]): string {
  return origins.map((origin) => texts.origins[origin]).join(" + ");
}

/**
 * A time.
 *
 * @param props.at milliseconds since the epoch
 */
export function Time({ at, children }: { at: number; children: string }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDateAndTime(at)}>
      {children}
    </time>
  );
}

/** How long ago something was, with date and time as its tooltip. */
export function TimeAgo({ at }: { at: number }) {
  return <Time at={at}>{formatAgo(at, thisPage().now)}</Time>;
}

/** The same, with date and time in sight. */
export function FullTime({ at }: { at: number }) {
  return (
    <>
      <TimeAgo at={at} />
      <br />
      <Time at={at}>{formatDateAndTime(at)}</Time>
    </>
  );
}

/** A URL, a release or an id: left to right in every language, and may wrap after each slash. */
export function Code({ children: text }: { children: string | null | undefined }) {
  if (text === undefined || text === null) return null;
  return (
    <bdi dir="ltr" className="code">
      {text.split(/(?<=\/)/).map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a URL may have the same segment twice
        <Fragment key={i}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </bdi>
  );
}

/** Names and values; a name without a value is left out. */
export function Facts(props: {
  label?: string;
  className: string | undefined;
  rows: [name: string, value: ReactNode][];
}) {
  return (
    <dl className={props.className} aria-label={props.label}>
      {props.rows.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>
                <bdi>{name}</bdi>
              </dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A number with its name. Nothing where there is none of it. */
export function Count({ name, of }: { name: string; of: number }) {
  return of > 0 && <span>{`${name}: ${formatCount(of)}`}</span>;
}

/** For screen readers alone. */
export function Unseen({ children }: { children: ReactNode }) {
  return <span className="unseen">{children}</span>;
}
