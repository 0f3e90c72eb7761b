import Link from "next/link";
import type { ReactNode } from "react";
import { pageNames, useMessages } from "@/lib/messages/messages";
import { basePath } from "@/lib/navigation/location";
import { Sign } from "../sign";
import type { Placeholder } from "./routes";
import styles from "./sign-list.module.css";

/** A list of signs, one for each page; further ones as children. */
export function SignList({ pages, children }: { pages: Placeholder[]; children?: ReactNode }) {
  const messages = useMessages();
  return (
    <ul className={styles.post}>
      {pages.map(({ route, path = route, rendering }) => (
        <Board
          key={route}
          href={path}
          sign={route}
          kind={rendering}
          {...pageNames(messages, route)}
        />
      ))}
      {children}
    </ul>
  );
}

/**
 * A sign that leads to a page and says what the page is for.
 *
 * @param props.sign the route's pattern
 * @param props.kind how it is rendered, in one word. The inbox is no page of Next's, and has no language
 */
export function Board(props: {
  href: string;
  sign: string;
  title?: string;
  kind: string;
  purpose?: string;
}) {
  return (
    <li className={styles.row}>
      {props.kind === "inbox" ? (
        <a href={basePath + props.href} className={styles.board}>
          <Sign pattern={props.sign} />
        </a>
      ) : (
        <Link href={props.href} className={styles.board}>
          <Sign pattern={props.sign} />
        </Link>
      )}
      <p>
        <strong>{props.title} </strong>
        <span className={styles.kind} lang="en">
          {props.kind}
        </span>
        <br />
        {props.purpose}
      </p>
    </li>
  );
}
