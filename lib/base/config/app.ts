import { randomBytes } from "node:crypto";
import { checkEnvironment } from "@signpost/sentry/config";
import { z } from "zod";

const token = z
  .string()
  .regex(/^[\x21-\x7e]{16,256}$/, "must be 16 to 256 ASCII characters without spaces")
  .optional()
  .meta({ example: "a-long-random-word", secret: true });

const days = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, "must be a whole number from 1 to 365")
  .transform(Number)
  .refine((value) => value <= 365, "must be a whole number from 1 to 365");

const schema = z.object({
  DELIVER_TOKEN: token,
  METRICS_TOKEN: token,
  INBOX_TOKEN: z
    .string()
    .regex(/^\S{1,256}$/, "must be 1 to 256 characters without spaces")
    .optional()
    .meta({ example: "a-long-random-word", secret: true }),
  INBOX_RETENTION_DAYS: days.default(30).meta({ example: "30" }),
  INBOX_REPORT_RETENTION_DAYS: days.default(7).meta({ example: "7" }),
  // Next's own variable, which its standalone server reads besides.
  KEEP_ALIVE_TIMEOUT: z
    .string()
    .regex(/^[1-9]\d{3,7}$/, "must be milliseconds, a whole number from 1000 to 99999999")
    .transform(Number)
    .default(65_000)
    .meta({ example: "65000" }),
});

/** The variables of the app's own server, beside those of the reporting. */
export const appVariables = Object.keys(schema.shape);

export interface AppConfig {
  /** Opens `/api/deliver`. */
  deliverToken: string | undefined;
  /** Opens `/api/metrics`. */
  metricsToken: string | undefined;
  inboxToken: string;
  /** Generated at this start, so the operator must be shown it. */
  inboxTokenIsRandom: boolean;
  /** How long the inbox keeps what it shows, and whole reports, which it never keeps for longer. */
  inboxRetentionDays: number;
  inboxReportRetentionDays: number;
  /** Milliseconds that a connection is kept after an answer. */
  keepAliveMs: number;
}

/** @throws {import("@signpost/sentry/config").ConfigError} */
export function readAppConfig(env: Record<string, string | undefined>): AppConfig {
  const checked = checkEnvironment(schema, env);
  return {
    deliverToken: checked.DELIVER_TOKEN,
    metricsToken: checked.METRICS_TOKEN,
    inboxToken: checked.INBOX_TOKEN ?? randomBytes(16).toString("hex"),
    inboxTokenIsRandom: checked.INBOX_TOKEN === undefined,
    inboxRetentionDays: checked.INBOX_RETENTION_DAYS,
    inboxReportRetentionDays: Math.min(
      checked.INBOX_REPORT_RETENTION_DAYS,
      checked.INBOX_RETENTION_DAYS,
    ),
    keepAliveMs: checked.KEEP_ALIVE_TIMEOUT,
  };
}
