import type { ReportedApp } from "@/lib/base/reported-app";
import { hasLocalePrefixes, locales } from "@/lib/site/messages/locales";
import { type PageEntry, pages } from "@/lib/site/routes/table";

const entries: [string, PageEntry][] = Object.entries(pages);

/** What lib/base, lib/relay and lib/sentry know of this app, beside the options in sentry.*.config.ts. */
export const app: ReportedApp = {
  pages: entries.map(([pattern]) => pattern),
  locales: hasLocalePrefixes ? locales : [],
  untraced: entries.filter(([, { untraced }]) => untraced).map(([pattern]) => pattern),
};
