/** What counts as what, for a service's limits: small, as browsers load it. */

export {
  type Category,
  categoryOf,
  categorySet,
  internalOnly,
  type Priority,
  priorityOf,
} from "./envelope/categories.ts";
