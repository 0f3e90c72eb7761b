/**
 * All that the SDK exports: functions/names.ts asks for it by name. The package's build writes the names out, but
 * for those of integrations/, each of which is a chunk of its own.
 */
export * from "@sentry/browser";
