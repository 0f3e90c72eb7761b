import type { Origin } from "@signpost/relay/store";
import { type Driver, Values } from "@signpost/relay/store";
import {
  type ErrorFilter,
  type FilterValues,
  isNew,
  matching,
  searchedUser,
  stateConditions,
} from "./error-filter.ts";
import type { EventKind } from "./error-records.ts";

/** Errors with the same fingerprint, or alike in type, message and the app's own calls. */
export interface ErrorGroup {
  id: string;
  /** Of its newest error, or of the newest one of the user that is searched for; so are type and message. */
  kind: EventKind;
  type: string;
  message: string;
  /** Id of that error. */
  eventId: string;
  /** Of errors that were ever filed, more than are kept. */
  count: number;
  /** When its first and its last report came, whenever that happened. */
  firstAt: number;
  lastAt: number;
  /** Seen for the first time in the release that runs now. */
  isNew: boolean;
  status: GroupStatus;
  /** On each of the last days, today last. */
  days: number[];
  /** Newest first, each once. */
  routes: string[];
  releases: string[];
  origins: Origin[];
}

interface GroupPage {
  groups: ErrorGroup[];
  /** Number of all groups that match. */
  total: number;
}

/**
 * - `open`: nobody has decided anything about it
 * - `came-back`: resolved, and seen again since
 * - `resolved`, `ignored`: as somebody has decided
 */
export type GroupStatus = "open" | "came-back" | "resolved" | "ignored";

export const rowsPerPage = 40;
/** Clients can make up any number. */
const maxCombinations = 4_000;
/** Errors whose values are offered as filters. */
const maxNewest = 1_000;
const maxValues = 100;
const dayMs = 24 * 3600 * 1000;
const recentDays = 7;

/** The begin of each of the days shown, in UTC, the oldest first. */
function startsOfDays(now: number): number[] {
  const today = Math.floor(now / dayMs);
  return Array.from({ length: recentDays }, (_, i) => (today - recentDays + 1 + i) * dayMs);
}

/** @returns the number of the last page, from 1 */
export function lastPageOf(total: number): number {
  return Math.max(Math.ceil(total / rowsPerPage), 1);
}

/** Reads the groups of the errors that were filed. All promises may reject with an OutboxError. */
export class ErrorGroups {
  constructor(private readonly driver: Pick<Driver, "read">) {}

  /**
   * The groups with at least one error in which everything is found, the newest first.
   *
   * @param asked.page from 1; one outside gives the nearest
   */
  async page(asked: GroupRequest & { filter: ErrorFilter; page: number }): Promise<GroupPage> {
    const found = await this.#groups(asked);
    if (found.groups.length > 0 || asked.page === 1) return found;
    const first = await this.page({ ...asked, page: 1 });
    const last = lastPageOf(first.total);
    return last === 1 ? first : this.page({ ...asked, page: last });
  }

  async group(id: string, asked: GroupRequest): Promise<ErrorGroup | undefined> {
    return (await this.#groups({ ...asked, id })).groups[0];
  }

  async counts(): Promise<{ ignored: number; others: number }> {
    const [found] = await this.driver.read<{ all: number; ignored: number }>({
      text: `select (select count(*) from {error_groups}) as "all",
        (select count(*) from {group_states} as s where s.state = 'ignored' and exists (
          select 1 from {error_groups} as g where g.group_id = s.group_id)) as ignored`,
    });
    const { all = 0, ignored = 0 } = found ?? {};
    return { ignored, others: all - ignored };
  }

  /** The values that a filter can be set to: those of the newest errors. */
  async values(): Promise<FilterValues> {
    const found = await this.driver.read<Record<keyof FilterValues, string | null>>({
      text: `select kind, origin, environment, release, route from {error_variants}
        order by seen_at desc limit ${maxNewest}`,
    });
    const of = (part: keyof FilterValues) =>
      unique(found.map((one) => one[part])).slice(0, maxValues);
    return {
      kind: of("kind").sort(),
      release: of("release"),
      environment: of("environment"),
      route: of("route").sort(),
      origin: of("origin").sort(),
    };
  }

  #summaries({ id, filter, page = 1, runningRelease }: SummaryRequest): Promise<Summary[]> {
    const values = new Values();
    const running = values.add(runningRelease);
    const joined = "{error_groups} as g left join {group_states} as s on s.group_id = g.group_id";
    const condition = filter && matching(filter, values);
    const user = filter && searchedUser(filter);
    // What is about a user is all that there is about that user.
    const unasked = filter && user === undefined ? "default" : "all";
    const inState = stateConditions[filter?.state ?? unasked](running);
    const ofUser = user === undefined ? undefined : `user_id = ${values.add(user)}`;
    const conditions = [
      ...(id === undefined ? [] : [`g.group_id = ${values.add(id)}`]),
      ...(condition
        ? [`g.group_id in (select group_id from {error_variants} where ${condition})`]
        : []),
      ...(ofUser ? [`g.group_id in (select group_id from {errors} where ${ofUser})`] : []),
    ];
    // Without conditions, groups are read in the order of an index, and only those that are shown.
    const total =
      conditions.length > 0
        ? "count(*) over ()"
        : `(select count(*) from ${joined} where ${inState})`;
    // Each with its newest error, looked up in this order, whatever an engine assumes.
    return this.driver.read<Summary>({
      text: `select p.*, e.event_id as "eventId", e.kind, e.type, e.message
        from (
          select g.group_id as id, g.quantity as count, g.first_at as "firstAt",
            g.last_at as "lastAt", g.last_report as "lastReport",
            case when ${isNew(running)} then 1 else 0 end as "isNew",
            case when ${stateConditions["came-back"]()} then 'came-back'
              else coalesce(s.state, 'open') end as status,
            ${total} as total
          from ${joined} where ${[inState, ...conditions].join(" and ")}
          order by g.last_at desc, g.last_report desc
          limit ${rowsPerPage} offset ${values.add((page - 1) * rowsPerPage)}
        ) as p cross join {errors} as e
        where e.event_id = (
          select x.event_id from {errors} as x where x.group_id = p.id${ofUser ? ` and x.${ofUser}` : ""}
          order by x.seen_at desc, x.report_id desc limit 1)
        order by p."lastAt" desc, p."lastReport" desc`,
      values: values.all,
    });
  }

  async #groups(asked: SummaryRequest): Promise<GroupPage> {
    const { now } = asked;
    const summaries = await this.#summaries(asked);
    if (summaries.length === 0) return { groups: [], total: 0 };
    const ids = summaries.map(({ id }) => id);
    const [combinations, days] = await Promise.all([this.#combinations(ids), this.#days(ids, now)]);
    const starts = startsOfDays(now);
    const groups = summaries.map((summary) => {
      const its = combinations.filter(({ group }) => group === summary.id);
      const countOn = (start: number) =>
        days.find(({ group, day }) => group === summary.id && day === start / dayMs)?.count ?? 0;
      return {
        ...summary,
        isNew: summary.isNew === 1,
        days: starts.map(countOn),
        routes: unique(its.map(({ route }) => route)),
        releases: unique(its.map(({ release }) => release)),
        origins: unique(its.map(({ origin }) => origin)),
      };
    });
    return { groups, total: summaries[0]?.total ?? 0 };
  }

  #combinations(ids: readonly string[]) {
    type Part = Record<"route" | "release", string | null>;
    const values = new Values();
    return this.driver.read<Part & { group: string; origin: Origin }>({
      text: `select group_id as "group", route, release, origin, max(seen_at) as last
        from {error_variants} where group_id in (${values.list(ids)})
        group by group_id, route, release, origin order by last desc limit ${maxCombinations}`,
      values: values.all,
    });
  }

  /** A day counts from the epoch. */
  #days(ids: readonly string[], now: number) {
    const [first = now] = startsOfDays(now);
    const values = new Values();
    return this.driver.read<{ group: string; day: number; count: number }>({
      text: `select group_id as "group", seen_at / ${dayMs} as day, count(*) as count
        from {errors} where group_id in (${values.list(ids)}) and seen_at >= ${values.add(first)}
        group by group_id, seen_at / ${dayMs}`,
      values: values.all,
    });
  }
}

export interface GroupRequest {
  runningRelease: string;
  /** Milliseconds since the epoch. */
  now: number;
}

interface SummaryRequest extends GroupRequest {
  id?: string;
  filter?: ErrorFilter;
  page?: number;
}

type Listed = "days" | "routes" | "releases" | "origins";

interface Summary extends Omit<ErrorGroup, "isNew" | Listed> {
  isNew: 0 | 1;
  total: number;
}

function unique<T>(values: readonly (T | null)[]): T[] {
  return [...new Set(values.filter((value) => value !== null))];
}
