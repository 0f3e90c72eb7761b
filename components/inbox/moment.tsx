import type { Moment as Value } from "./format";

/** How long ago, with the very time on demand. */
export function Moment({ children }: { children: Value }) {
  return (
    <time dateTime={children.iso} title={children.full}>
      {children.ago}
    </time>
  );
}
