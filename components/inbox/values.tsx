import { Fragment, type ReactNode } from "react";
import type { EventKind } from "@/lib/inbox/model/error-records";
import type { Pair } from "@/lib/inbox/model/event-detail";
import type { FormattedTime } from "@/lib/inbox/views/formatter";
import { inboxMessages } from "@/lib/messages/inbox";
import styles from "./values.module.css";

const { kinds } = inboxMessages.events;

/** @returns what names an error by its type, and a message by its level */
export function headlineOf({ kind, type }: { kind: EventKind; type: string }): string {
  return kind === "error" ? type : `${kinds.message} · ${type}`;
}

/** How long ago something was, with date and time as its tooltip. */
export function TimeAgo({ children: { iso, full, ago } }: { children: FormattedTime }) {
  return (
    <time dateTime={iso} title={full}>
      {ago}
    </time>
  );
}

/** A route, a release or an id: left to right in every language. */
export function Code({ children }: { children: ReactNode }) {
  return (
    <bdi dir="ltr" className={styles.code}>
      {children}
    </bdi>
  );
}

/** A URL, which may wrap after each slash. Without this, Safari breaks it inside a word. */
export function Url({ children }: { children: string }) {
  const [first, ...rest] = children.split("/");
  return (
    <Code>
      {first}
      {rest.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a URL may have the same segment twice
        <Fragment key={i}>
          /<wbr />
          {part}
        </Fragment>
      ))}
    </Code>
  );
}

/** Names and values of a report. */
export function Pairs({ pairs }: { pairs: Pair[] }) {
  return (
    <dl className={styles.pairs}>
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** For screen readers alone. */
export function Unseen({ children }: { children: ReactNode }) {
  return <span className={styles.unseen}>{children}</span>;
}
