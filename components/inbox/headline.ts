import type { EventKind } from "@/lib/inbox/model/error-records";
import { inboxMessages } from "@/lib/messages/inbox";

const { kinds } = inboxMessages.events;

/** @returns what names an error by its type, and a message by its level */
export function headlineOf({ kind, type }: { kind: EventKind; type: string }): string {
  return kind === "error" ? type : `${kinds.message} · ${type}`;
}
