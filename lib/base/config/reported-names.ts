/*
 * Which names in reports are private, beside those in lib/relay/envelope/private-names.ts: the one place
 * to say it, for browser and server and every kind of report.
 */

/**
 * Names whose values may be reported although they are held private.
 *
 * A name alone, such as `"email"`, is allowed wherever it is. With the name above it, such as
 * `"cart.email"`, it is allowed there only; `"user.email"` is that of `setUser` and of the attributes
 * of logs and metrics.
 */
export const allowedNames: readonly Lowercase<string>[] = [];

/**
 * Names whose values become `[Filtered]`, wherever they are in a name. Only letters and digits count:
 * `"membership"` is in `membershipId` and in `X-Membership`.
 */
export const ownPrivateNames: readonly Lowercase<string>[] = [];
