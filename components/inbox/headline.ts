import type { EventKind } from "@/lib/inbox/error-records";
import { useInboxMessages } from "./use-inbox-messages";

/** @returns what names an error by its type, and a message by its level */
export function useHeadline(): (of: { kind: EventKind; type: string }) => string {
  const { events } = useInboxMessages();
  const levels: Record<string, string> = events.levels;
  return ({ kind, type }) =>
    kind === "error"
      ? type
      : `${events.kinds.message} · ${Object.hasOwn(levels, type) ? levels[type] : type}`;
}
