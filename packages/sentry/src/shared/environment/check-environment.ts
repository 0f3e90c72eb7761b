import type { z } from "zod";
/**
 * An environment that can't be used. The message has one line per faulty variable: its name, what is
 * wrong with its value, and an example of a valid one.
 */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  /** @param faults one sentence each, beginning with the variable's name */
  constructor(faults: readonly string[]) {
    super(`The configuration can't be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.name = "ConfigError";
    this.faults = faults;
  }
}

/**
 * Reads several parts of a configuration.
 *
 * @param readers each may throw a `ConfigError`
 * @throws {ConfigError} with the faults of all
 */
export function readAll<T extends unknown[]>(...readers: { [K in keyof T]: () => T[K] }): T {
  const faults: string[] = [];
  const configs: unknown[] = [];
  for (const read of readers) {
    try {
      configs.push(read());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return configs as T;
}

/**
 * Checks the environment against a zod schema whose fields are named like the variables.
 * An empty variable counts as not set, because compose files and CI systems set variables like that.
 *
 * @param schema each field's `.meta()` may hold a valid value as `example`, and `secret: true` if the
 *   message must not show the value
 * @throws {ConfigError} naming every variable at fault
 */
export function checkEnvironment<Schema extends z.ZodObject>(
  schema: Schema,
  env: Record<string, string | undefined>,
): z.infer<Schema> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      const { example, secret } = metadata(schema, name);
      const value = secret ? "" : ` is ${JSON.stringify(env[name])}:`;
      const fault = given[name] !== undefined ? `${value} ${issue.message}` : " must be set";
      return `${name}${fault}${example ? `, for example ${name}=${example}` : ""}`;
    }),
  );
}

function metadata(schema: z.ZodObject, name: string): { example?: string; secret?: boolean } {
  const field = schema.shape[name] as z.ZodType | undefined;
  return (field?.meta() ?? {}) as { example?: string; secret?: boolean };
}
