import { globSync } from "node:fs";
import { placeholders } from "../../../packages/create/src/placeholders.js";
import type { ProjectCopy } from "./takeover";

/* What docs/make-it-yours.md says of each removal. */

/** Those of the copy. */
const languagesOf = (copy: ProjectCopy) =>
  ["en", "de", "ar"].filter((language) => copy.has(`lib/messages/${language}.ts`));
const list = "components/placeholders/routes.ts";
const expectations = "tests/pages.ts";
const placeholderPages = "tests/e2e/own/placeholders/placeholder-pages.ts";

export function removeTests(copy: ProjectCopy): void {
  copy.remove("tests/e2e/takeover");
}

export function nameIt(copy: ProjectCopy): void {
  copyMenu(copy);
  copy.copy("docs/examples/feedback.tsx", "pages/feedback.tsx");
  copy.remove("components/trail.tsx", "components/trail.module.css");
  copy.remove("tests/components/site-nav.test.tsx", "tests/e2e/own/placeholders/rail.spec.ts");
  const shell = "components/shell.tsx";
  copy.removeLines(shell, "import { Trail }", "<SiteNav />");
  copy.replace(shell, "<LocaleSwitch />", "<SiteNav />\n        <LocaleSwitch />");
  copy.replace(shell, "<Trail />", "<p>{productName}</p>");
  copy.replace(
    "components/shell.module.css",
    /^@media \(min-width: 60rem\) \{\n[\s\S]*?^\}\n\n/,
    "",
  );
  copy.replace("lib/messages/product-name.ts", '"Signpost"', '"Lamp Shop"');
  for (const language of languagesOf(copy)) {
    const file = `lib/messages/${language}.ts`;
    copy.replace(file, / {4}routes: ".*"/, '    routes: "Menu"');
    copy.removeProperties(file, "lastNavigation");
  }
  copy.removeLines(placeholderPages, 'page("/feedback"');
}

function copyMenu(copy: ProjectCopy): void {
  for (const file of ["site-nav.tsx", "site-nav.module.css"]) {
    copy.copy(`docs/examples/${file}`, `components/${file}`);
  }
}

export function removeLanguages(copy: ProjectCopy): void {
  for (const language of ["de", "ar"]) {
    copy.remove(`lib/messages/${language}.ts`);
    copy.removeProperties("lib/messages/locales.ts", language);
  }
  copy.remove("tests/components/use-loaded-messages.test.tsx");
}

/** As `npm uninstall @signpost/inbox` changes package.json. Here its folder stays, and so do its own tests. */
export function removeInbox(copy: ProjectCopy): void {
  copy.removeLines("package.json", '"@signpost/inbox":');
  copy.removeLines(
    "sentry.server.config.ts",
    "import { inbox }",
    "// Where reports go while",
    "destination: inbox()",
  );
  copy.replace(
    "components/placeholders/route-map.tsx",
    /^ *<Board\n *href="\/reports"[\s\S]*?\/>\n/,
    "",
  );
  copy.remove("tests/e2e/inbox", "tests/bench/inbox.ts");
  copy.removeProperties("tests/bench/bench.ts", "inbox");
}

export function removeFeedback(copy: ProjectCopy): void {
  copy.remove("lib/feedback", "components/feedback", "docs/examples/feedback.tsx");
  copy.remove("pages/feedback.tsx", "pages/api/feedback.ts");
  copy.remove("tests/unit/feedback", "tests/components/feedback");
  copy.remove("tests/e2e/feedback.spec.ts", "tests/e2e/inbox/feedback.spec.ts");
  copy.removeLines(list, '{ route: "/feedback"');
  copy.removeLines("components/error-view.tsx", "import { FeedbackForm }", "<FeedbackForm");
  copy.replace("components/wrong-address.tsx", /^ *<Link href="\/feedback"[\s\S]*?<\/Link>\n/, "");
  for (const language of languagesOf(copy)) {
    const file = `lib/messages/${language}.ts`;
    copy.removeProperties(file, '"/feedback"', "tell", "feedback");
  }
  // A page of feedback of the team's own is none of the placeholders.
  const line = 'page("/feedback"';
  if (copy.read(placeholderPages).includes(line)) copy.removeLines(placeholderPages, line);
}

export function removeFailures(copy: ProjectCopy): void {
  copy.remove(
    "pages/failures",
    "pages/api/failure.ts",
    "tests/e2e/own/placeholders/failures.spec.ts",
  );
  copy.remove(...globSync("components/placeholders/failing-button.*"));
  const kinds = ["server-data", "server-render", "client-render", "client-event", "client-promise"];
  const patterns = ["/failures", ...kinds.map((kind) => `/failures/${kind}`)];
  const names = patterns.map((pattern) => `"${pattern}"`);
  copy.removeLines(list, ...names.map((name) => `{ route: ${name},`));
  copy.removeLines(expectations, '"/failures/server-data"', '"/failures/server-render"');
  for (const language of languagesOf(copy)) {
    copy.removeProperties(`lib/messages/${language}.ts`, ...names);
  }
  const pages = ["/failures", ...kinds.slice(2).map((kind) => `/failures/${kind}`)];
  copy.removeLines(placeholderPages, ...pages.map((path) => `page("${path}", `));
}

export function removePlaceholders(copy: ProjectCopy): void {
  copy.copy("docs/examples/index.tsx", "pages/index.tsx");
  copy.remove(...placeholders);
  copyMenu(copy);
  const rail = "tests/components/site-nav.test.tsx";
  if (copy.has(rail)) copy.remove(rail);
  const start = '    "/": { title: "Welcome", purpose: "The start of everything." },\n';
  for (const language of languagesOf(copy)) {
    const file = `lib/messages/${language}.ts`;
    // Those of the feedback page come last, if it is there.
    copy.replace(
      file,
      /^ {2}pages: \{\n[\s\S]*?^(?= {4}"\/feedback"| {2}\},)/,
      `  pages: {\n${start}`,
    );
  }
}
