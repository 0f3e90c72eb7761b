/** What the reporting needs to know of the app that it reports for: reporting.config.ts says it. */
export interface ReportedApp {
  /** Every page, by the pattern that Next gives it: `/dynamic/[id]`. */
  pages: readonly string[];
  /** Of Next's `i18n`, the default one first; none without it. */
  locales: readonly string[];
  /** Pages, with all below them, whose data is requested too often to be measured. */
  untraced: readonly string[];
}
