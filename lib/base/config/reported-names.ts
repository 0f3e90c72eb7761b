/**
 * Names whose values may be reported although lib/relay/envelope/private-names.ts holds them private: the
 * one place to allow them, for browser and server and every kind of report.
 *
 * A name alone, such as `"email"`, is allowed wherever it is. With the name above it, such as
 * `"cart.email"`, it is allowed there only; `"user.email"` is that of `setUser` and of the attributes
 * of logs and metrics.
 */
export const allowedNames: readonly Lowercase<string>[] = [];
