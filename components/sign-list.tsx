import Link from "next/link";
import type { ReactNode } from "react";
import { useMessages } from "@/lib/messages/messages";
import { pageTexts } from "@/lib/messages/page-texts";
import { examples, type Route } from "@/lib/navigation/routes";
import { pages } from "@/lib/navigation/table";
import { Sign } from "./sign";
import styles from "./sign-list.module.css";

/** A list of signs, one for each route; further ones as children. */
export function SignList({ routes: listed, children }: { routes: Route[]; children?: ReactNode }) {
  const messages = useMessages();
  return (
    <ul className={styles.post}>
      {listed.map((route) => (
        <Board
          key={route}
          href={examples[route] ?? route}
          sign={route}
          kind={pages[route].rendering}
          {...pageTexts(messages, route)}
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
 * @param props.title nothing for a page without texts, as for `purpose`
 * @param props.kind how it is rendered, in one word
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
      <Link href={props.href} className={styles.board}>
        <Sign pattern={props.sign} />
      </Link>
      <p>
        {props.title && <strong>{props.title} </strong>}
        <span className={styles.kind} lang="en">
          {props.kind}
        </span>
        <br />
        {props.purpose}
      </p>
    </li>
  );
}
