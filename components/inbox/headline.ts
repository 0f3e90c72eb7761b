import type { EventKind } from "@/lib/inbox/model/error-records";
import { inboxMessages } from "@/lib/messages/inbox";

const { kinds, levels } = inboxMessages.events;

/** @returns what names an error by its type, and a message by its level */
export function headlineOf({ kind, type }: { kind: EventKind; type: string }): string {
  if (kind === "error") return type;
  const level = Object.hasOwn(levels, type) ? levels[type as keyof typeof levels] : type;
  return `${kinds.message} · ${level}`;
}
