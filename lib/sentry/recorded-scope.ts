import type { Breadcrumb, CaptureContext, Event, Scope, User } from "@sentry/nextjs";
import type { ScopeData } from "@/lib/reporting/browser/first-load/sdk-link";

/** As Sentry's SDK keeps them. */
const maxBreadcrumbs = 100;
/** Of the calls that wait for the SDK's own scope. */
const maxCalls = 100;

type Group = Record<string, unknown>;
type Call = ScopeData["calls"][number];

/** What may be given in place of a scope, in the shape of the SDK's `ScopeContext`. */
type ScopeLike = CaptureContext | Partial<ScopeData>;

/**
 * A scope before the SDK is there: the part of Sentry's `Scope` that its documentation teaches, with
 * the data under the same names. Every page that imports lib/sentry loads it, so it is short.
 */
export class RecordedScope implements ScopeData {
  tags: Group = {};
  extra: Group = {};
  contexts: Group = {};
  attributes: Group = {};
  user?: User;
  level?: Event["level"];
  fingerprint?: string[];
  breadcrumbs: Breadcrumb[] = [];
  calls: Call[] = [];
  /** The active span. */
  span?: unknown;

  update(context?: ScopeLike): this {
    const given = typeof context === "function" ? context(this as unknown as Scope) : context;
    // A scope of the SDK's own gives its data by this method only.
    const from = (given as Scope | undefined)?.getScopeData?.() ?? (given as Partial<this>);
    for (const name of ["tags", "extra", "contexts", "attributes"] as const) {
      this[name] = { ...this[name], ...(from?.[name] as Group) };
    }
    for (const name of ["user", "level", "fingerprint"] as const) {
      if (from?.[name]) Object.assign(this, { [name]: from[name] });
    }
    return this;
  }

  /** With what `update` leaves out: breadcrumbs and whatever waits for the SDK's own scope. */
  add({ breadcrumbs, calls, span, ...rest }: RecordedScope): this {
    return Object.assign(this.update(rest), {
      breadcrumbs: [...this.breadcrumbs, ...breadcrumbs],
      calls: [...this.calls, ...calls],
      span,
    });
  }

  clone(): this {
    return new (this.constructor as new () => this)().add(this);
  }

  clear(): this {
    return Object.assign(this, new RecordedScope());
  }

  setUser(user: User | null): this {
    return Object.assign(this, { user: user ?? undefined });
  }

  setLevel(level: Event["level"]): this {
    return Object.assign(this, { level });
  }

  setFingerprint(fingerprint: string[]): this {
    return Object.assign(this, { fingerprint });
  }

  setTags(tags: Group): this {
    return this.update({ tags });
  }

  setTag(key: string, value: unknown): this {
    return this.setTags({ [key]: value });
  }

  setExtras(extra: Group): this {
    return this.update({ extra });
  }

  setExtra(key: string, value: unknown): this {
    return this.setExtras({ [key]: value });
  }

  setAttributes(attributes: Group): this {
    return this.update({ attributes });
  }

  setAttribute(key: string, value: unknown): this {
    return this.setAttributes({ [key]: value });
  }

  /** @param context null to remove it */
  setContext(name: string, context: Group | null): this {
    return this.update({ contexts: { [name]: context ?? undefined } });
  }

  addBreadcrumb(breadcrumb: Breadcrumb, max = maxBreadcrumbs): this {
    const timed = { timestamp: Date.now() / 1000, ...breadcrumb };
    this.breadcrumbs = [...this.breadcrumbs, timed].slice(-max);
    return this;
  }

  clearBreadcrumbs(): this {
    this.breadcrumbs = [];
    return this;
  }

  addEventProcessor(processor: unknown): this {
    return this.call("addEventProcessor", processor);
  }

  addAttachment(attachment: unknown): this {
    return this.call("addAttachment", attachment);
  }

  setTransactionName(name?: string): this {
    return this.call("setTransactionName", name);
  }

  private call(...call: Call): this {
    this.calls = [...this.calls, call].slice(-maxCalls);
    return this;
  }
}
