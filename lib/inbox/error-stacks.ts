import { setTimeout as delay } from "node:timers/promises";
import { builtPosition, type ReportedFrame } from "@/lib/stacks/frames";
import type { FrameResolver } from "@/lib/stacks/resolve-frames";
import { type Fields, position } from "./fields";
import { type ErrorIdentity, groupId, sourceFile, sourcePlace, stackId } from "./group-id";
import { memorySize } from "./memory-size";

/** The stack of an error, which is in a provisional group until the stack's source is known. */
export interface UnresolvedStack {
  identity: ErrorIdentity;
  /** Oldest call first. */
  frames: ReportedFrame[];
  build: string | undefined;
}

interface GroupedError {
  group: string;
  file: string | undefined;
  stack: UnresolvedStack | undefined;
}

/** Where an error was thrown, in the source. */
interface SourcePlace {
  /** See `sourcePlace`. */
  place: string;
  file: string | undefined;
}

interface Waiting extends Pick<UnresolvedStack, "frames" | "build"> {
  errors: { error: GroupedError; identity: ErrorIdentity }[];
  bytes: number;
}

/** SDKs send no more. */
const maxFrames = 50;
/**
 * Stacks whose source is kept, and those that wait for it. One of fifty calls takes up to 60 kB, so
 * those that wait have a maximum of bytes together, see `memorySize`, the errors that have them
 * included.
 */
const max = { known: 20_000, waiting: 1_000, waitingBytes: 24 * 1024 * 1024 };
const atOnce = 8;
const timeoutMs = 2_000;

/** @returns the part of the frames that resolving needs; nothing where none is of a build */
export function resolvableFrames(frames: readonly Fields[]): ReportedFrame[] | undefined {
  const last = frames.slice(-maxFrames);
  if (!last.some((frame) => builtPosition(frame))) return undefined;
  return last.map(({ filename, abs_path, function: name, lineno, colno }) => ({
    filename: short(filename),
    abs_path: abs_path === filename ? undefined : short(abs_path),
    function: short(name),
    lineno: position(lineno),
    colno: position(colno),
  }));
}

function short(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= 200 ? value : undefined;
}

/**
 * Moves errors to the groups that last, once their stacks are resolved. Each stack is resolved once,
 * however many errors have it, and outside of any request.
 */
export class ErrorStacks {
  readonly #resolver: FrameResolver;
  /** By stack, those used first at the front. Undefined for one without a source. */
  readonly #places = new Map<string, SourcePlace | undefined>();
  readonly #waiting = new Map<string, Waiting>();
  #waitingBytes = 0;
  #run: Promise<void> | undefined;
  #moves = 0;

  constructor(resolver: FrameResolver) {
    this.#resolver = resolver;
  }

  /** Grows with each error that has moved to another group. */
  get moves(): number {
    return this.#moves;
  }

  /** Takes the stack of an error. Beyond the bound of those that wait, the error stays in its group. */
  add(error: GroupedError): void {
    if (!error.stack) return;
    const { identity, frames, build } = error.stack;
    error.stack = undefined;
    const id = stackId(frames, build);
    if (this.#places.has(id)) this.#move(error, identity, this.#places.get(id));
    else this.#wait(id, { frames, build }, { error, identity });
  }

  #wait(
    id: string,
    stack: Pick<Waiting, "frames" | "build">,
    one: Waiting["errors"][number],
  ): void {
    const known = this.#waiting.get(id);
    const bytes = memorySize(one) + (known ? 0 : memorySize(stack));
    if (!known && this.#waiting.size >= max.waiting) return;
    if (this.#waitingBytes + bytes > max.waitingBytes) return;
    const waiting = known ?? { ...stack, errors: [], bytes: 0 };
    waiting.errors.push(one);
    waiting.bytes += bytes;
    this.#waitingBytes += bytes;
    this.#waiting.set(id, waiting);
  }

  /**
   * Resolves the stacks that wait. Those for which there is no time wait for the next call.
   *
   * @param maxMs after which it is left to itself, in milliseconds
   */
  async resolve(maxMs: number): Promise<void> {
    if (this.#waiting.size === 0) return;
    this.#run ??= this.#resolveAll().finally(() => {
      this.#run = undefined;
    });
    const done = new AbortController();
    const time = delay(maxMs, undefined, { signal: done.signal }).catch(() => {});
    await Promise.race([this.#run, time]);
    done.abort();
  }

  async #resolveAll(): Promise<void> {
    const all = [...this.#waiting];
    for (let i = 0; i < all.length; i += atOnce) {
      const some = all.slice(i, i + atOnce);
      const complete = await Promise.all(some.map(([id, waiting]) => this.#resolve(id, waiting)));
      if (complete.includes(false)) return;
    }
  }

  /** @returns whether there was time to look at all of its frames */
  async #resolve(id: string, waiting: Waiting): Promise<boolean> {
    const { frames, build, errors } = waiting;
    const resolved = await this.#resolver(frames, { timeoutMs, ...(build && { build }) });
    if (resolved.some((frame) => !frame.resolved && frame.late)) return false;
    const place = sourcePlace(resolved);
    const found = place === undefined ? undefined : { place, file: sourceFile(resolved) };
    this.#waiting.delete(id);
    this.#waitingBytes -= waiting.bytes;
    this.#places.set(id, found);
    const [oldest] = this.#places.keys();
    if (oldest !== undefined && this.#places.size > max.known) this.#places.delete(oldest);
    for (const { error, identity } of errors) this.#move(error, identity, found);
    return true;
  }

  #move(error: GroupedError, identity: ErrorIdentity, found: SourcePlace | undefined): void {
    if (found === undefined) return;
    error.group = groupId(identity, found.place);
    error.file = found.file;
    this.#moves += 1;
  }
}
