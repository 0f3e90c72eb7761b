import type { ReportedApp } from "@/lib/base/reported-app";

/** What the reporting knows of this app. */
export const app: ReportedApp = {
  // next.config finds the patterns of Next's pages, and the locales of `i18n`.
  pages: process.env.NEXT_PUBLIC_PAGES?.split(" ") ?? [],
  locales: process.env.NEXT_PUBLIC_LOCALES?.split(" ").filter(Boolean) ?? [],
  // Pages whose data is requested so often that it must not be measured.
  untraced: [],
};
