import { onTestFinished } from "vitest";
import { pageDocument } from "@/packages/inbox/src/pages/documents";
import type { ErrorView, ListView, VisitView } from "@/packages/inbox/src/views/page-data";

/** When pages are read in tests. */
export const now = 1_800_000_600_000;

const site = {
  basePath: "",
  title: "Reports",
  style: "/reports/inbox.css",
  script: "/reports/refresh.js",
  url: "/reports",
};

/** A page as a server sends it. */
export function pageOf(view: ListView | ErrorView | VisitView): Promise<string> {
  return pageDocument({ view, now }, site);
}

/** Shows a page in the imitated browser, until the test ends. Its script does not run. */
export async function show(view: ListView | ErrorView | VisitView) {
  const { head, body } = new DOMParser().parseFromString(await pageOf(view), "text/html");
  document.head.replaceChildren(...head.childNodes);
  document.body.replaceChildren(...body.childNodes);
  const unmount = () => document.body.replaceChildren();
  onTestFinished(unmount);
  return { container: document.body, unmount };
}
