import type { ReportedApp } from "@/lib/base/reported-app";
import { hasLocalePrefixes, locales } from "@/lib/site/messages/locales";
import { type PageEntry, pages } from "@/lib/site/routes/table";

const entries: [string, PageEntry][] = Object.entries(pages);

/** What the reporting knows of this app: lib/sentry and lib/relay import nothing else of it. */
export const app: ReportedApp = {
  pages: entries.map(([pattern]) => pattern),
  locales: hasLocalePrefixes ? locales : [],
  untraced: entries.filter(([, { untraced }]) => untraced).map(([pattern]) => pattern),
};
