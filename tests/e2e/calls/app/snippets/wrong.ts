/** A value that is not what its type says, for calls that are wrong. */
export const wrong = <T>(value: unknown): T => value as T;
