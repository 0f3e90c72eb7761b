export type BrowserErrorEvent = ErrorEvent | PromiseRejectionEvent;

/** The tunnel takes no more of a text, and completes only small envelopes. */
const maxLength = 8192;
/** The tunnel takes twice as much of a stack, with the place below it. */
const maxStack = 15_900;

/** What the page tells of an error. The tunnel makes the event's exception of it. */
export interface Thrown {
  type: string;
  value: string;
  /** As the browser words it. */
  stack: string;
}

interface Words extends Omit<Thrown, "stack"> {
  /** Whose stack it is; nothing where what was thrown has none of its own. */
  error?: Partial<Error>;
}

/** Type and message in the SDK's own words, so that a report is of the same issue with it and without. */
export function thrownOf(thrown: unknown, event?: BrowserErrorEvent): Thrown {
  const { type, value, error } = typeAndValueOf(thrown, event);
  const stack = readText(() => error?.stack, "").slice(0, maxStack);
  // What is no error has no stack, and a script that can't be parsed no frame: the browser knows the place.
  const at = event as ErrorEvent | undefined;
  const place =
    at?.filename && !filesOf(stack)[0]
      ? `\nat ${at.filename.slice(0, 400)}:${at.lineno}:${at.colno}`
      : "";
  return {
    type: type.slice(0, maxLength),
    value: value.slice(0, maxLength),
    stack: stack + place,
  };
}

function typeAndValueOf(thrown: unknown, event?: BrowserErrorEvent): Words {
  const rejected = event?.type === "unhandledrejection";
  const type = rejected ? "UnhandledRejection" : "Error";
  const browserWords = (event as Partial<ErrorEvent> | undefined)?.message;
  if (Object(thrown) !== thrown) {
    const value = rejected
      ? `Non-Error promise rejection captured with value: ${String(thrown)}`
      : String(thrown || browserWords || thrown);
    return { type, value };
  }
  try {
    const object = thrown as Partial<Error>;
    if (isError(object)) {
      return {
        type: readText(() => object.name, "Error"),
        value: readText(() => object.message || undefined, "No error message"),
        error: object,
      };
    }
    const isEvent = object instanceof Event;
    if (!isEvent && tagOf(object) !== "[object Object]") {
      return { type: "Error", value: String(object) };
    }
    const inner = Object.values(object).find(isError);
    if (inner) return typeAndValueOf(inner);
    const how = `captured as ${rejected ? "promise rejection" : "exception"}`;
    if (isEvent) {
      const name = String(object.constructor.name);
      return { type: name, value: `Event \`${name}\` (type=${object.type}) ${how}` };
    }
    const keys = Object.keys(object).sort().join(", ") || "[object has no keys]";
    return { type, value: `Object ${how} with keys: ${keys}` };
  } catch {
    // Anything may be thrown, even what can't be read.
    return { type: "Error", value: browserWords ?? "" };
  }
}

function isError(value: unknown): value is Error {
  return value instanceof Error || /(Error|Exception)]$/.test(tagOf(value));
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}

/** What is read may be of any type, and reading it may throw. */
export function readText(value: () => unknown, otherwise: string): string {
  try {
    return String(value() ?? otherwise);
  } catch {
    return otherwise;
  }
}

/** The files of a stack, the innermost first, without line and column. */
export function filesOf(stack: string): string[] {
  return [...stack.matchAll(/(?:^|[\s(@])([a-z-]+:\/\/\S+):\d+:\d+\)?$/gm)].map(
    ([, file]) => file as string,
  );
}
