import { type EventHint, Scope } from "@sentry/nextjs";
import { newServerEventId } from "@signpost/relay/envelope";
import { singleton } from "../shared/singleton.ts";

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
