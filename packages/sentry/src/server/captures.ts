import { type EventHint, Scope } from "@sentry/nextjs";
import { newServerEventId } from "@signpost/relay/envelope";
import type { NextPageContext } from "next";
import { singleton } from "../shared/singleton.ts";
import { currentReference, referenceOnErrorPage } from "./references.ts";
import { reportStored } from "./reports-under-way.ts";

/**
 * For `_error.getInitialProps`. The error has mostly been reported before, when the request failed.
 *
 * @returns the id of its event, 32 hex digits, once the report is stored; nothing for the page of an
 *   address that does not exist
 */
export async function captureUnderscoreErrorException({
  err,
  res,
}: Pick<NextPageContext, "err" | "res">): Promise<string | undefined> {
  if (res && res.statusCode < 500) return undefined;
  const reference = referenceOnErrorPage(err);
  await reportStored(reference);
  // A hook may have given the event an id of its own.
  return currentReference() ?? reference;
}

/**
 * What the app captures has ids of the server's, too, since it may show them. An event or a hint that names an
 * id keeps that.
 */
export function giveServerIds(): void {
  singleton("server ids", () => {
    const { captureException, captureMessage, captureEvent } = Scope.prototype;
    Object.assign(Scope.prototype, {
      captureException(this: Scope, exception: unknown, hint?: EventHint) {
        return captureException.call(this, exception, withId(hint));
      },
      captureMessage(this: Scope, ...[message, level, hint]: Parameters<typeof captureMessage>) {
        return captureMessage.call(this, message, level, withId(hint));
      },
      captureEvent(this: Scope, ...[event, hint]: Parameters<typeof captureEvent>) {
        return captureEvent.call(this, event, withId(hint));
      },
    });
    return true;
  });
}

function withId(hint: EventHint | undefined): EventHint {
  return { ...hint, event_id: hint?.event_id || newServerEventId() };
}
