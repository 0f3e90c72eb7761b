import type { ReportedApp } from "@/lib/base/reported-app";

/** What the reporting knows of this app. */
export const app: ReportedApp = {
  // The patterns of Next's pages: next.config finds them.
  pages: process.env.NEXT_PUBLIC_PAGES?.split(" ") ?? [],
  // Those of `i18n` in next.config, the default one first.
  locales: [],
  // Pages whose data is requested so often that it must not be measured.
  untraced: [],
};
