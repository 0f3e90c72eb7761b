import type { Origin } from "@signpost/sentry/server";
import { useRouter } from "next/router";
import { createContext, Fragment, type ReactNode, useContext } from "react";
import button from "@/components/button.module.css";
import type { EventKind } from "@/lib/inbox/model/error-records";
import { formatAgo, formatCount, formatDateAndTime } from "@/lib/inbox/views/format";
import { inboxMessages } from "@/lib/messages/inbox";
import { urlOf } from "@/lib/navigation/location";
import styles from "./inbox.module.css";

const { kinds } = inboxMessages.events;
export const quietButton = `${button.button} ${button.quiet}`;

/** When the data of the page was made, in milliseconds since the epoch. */
export const Now = createContext(0);

/** @param path of a page of the inbox; the page shown where it isn't given */
export function useUrl(path?: string): string {
  const { asPath, locale } = useRouter();
  return urlOf({ path: path ?? asPath, locale });
}

/** @returns what names an error by its type, and a message by its level */
export function headlineOf({ kind, type }: { kind: EventKind; type: string }): string {
  return kind === "error" ? type : `${kinds.message} · ${type}`;
}

export function originsText(origins: readonly Origin[]): string {
  return origins.map((origin) => inboxMessages.origins[origin]).join(" + ");
}

/**
 * A time. Browsers may write it otherwise than the server does, and keep what the server wrote.
 *
 * @param props.at milliseconds since the epoch
 */
export function Time({ at, children }: { at: number; children: string }) {
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={formatDateAndTime(at)}
      suppressHydrationWarning
    >
      {children}
    </time>
  );
}

/** How long ago something was, with date and time as its tooltip. */
export function TimeAgo({ at }: { at: number }) {
  return <Time at={at}>{formatAgo(at, useContext(Now))}</Time>;
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
    <bdi dir="ltr" className={styles.code}>
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
  return <span className={styles.unseen}>{children}</span>;
}
