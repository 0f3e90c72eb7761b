import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { comparisonApp } from "../bench/support/comparison-apps.ts";
import { documentedSetup } from "../bench/support/sentry-setup.ts";
import { startNext } from "../bench/support/servers.ts";
import { startApp } from "../services/app.ts";
import { buildCopy } from "../support/build-copy.ts";

const pages = "tests/comparison/pages";

/** For which the browser asks in vain, unless it is told who that is. */
export const serviceHost = "service.example";

/** What is compared: by the name under which it is shown. */
export const sides = ["sentry", "signpost"] as const;
export type Side = (typeof sides)[number];

export interface RunningApp {
  origin: string;
  /** Ends its server, so that it sends what it still has. */
  stop: () => Promise<unknown>;
}

/** How each app is built, with the same pages, and then served, with everything sampled. */
export const apps: Record<
  Side,
  { build: () => Promise<string>; start: (folder: string, dsn: string) => Promise<RunningApp> }
> = {
  sentry: {
    build: () => comparisonApp("documented", documented()),
    start: (folder, dsn) => startNext(folder, { SENTRY_DSN: dsn }),
  },
  signpost: {
    async build() {
      const standalone = await buildCopy("comparison", copies());
      return join(standalone, "../..");
    },
    start: startApp,
  },
};

/** Each file of the pages, and where it belongs in an app. */
function placed(): { source: string; path: string; pattern: string }[] {
  const files = readdirSync(pages, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => {
      const place = file.startsWith("api/")
        ? file.replace("api/", "api/compared/")
        : `compared/${file}`;
      const pattern = `/${place.replace(/\.tsx?$/, "")}`;
      return { source: join(pages, file), path: `pages/${place}`, pattern };
    });
}

/** Sentry's documented set-up, with an error page that names the event as its own tests want it. */
function documented(): Record<string, string> {
  const setup = documentedSetup({
    dsn: `http://0123456789abcdef0123456789abcdef@${serviceHost}/42`,
    options:
      'tracesSampleRate: 1, traceLifecycle: "static", release: "9.8.7", environment: "staging"',
    more: "typescript: { ignoreBuildErrors: true },",
  });
  const sources = placed().map(({ source, path }) => [
    path,
    readFileSync(source, "utf8").replace("@signpost/sentry", "@sentry/nextjs"),
  ]);
  return { ...setup, ...Object.fromEntries(sources), "pages/_error.jsx": errorPage };
}

const errorPage = `import * as Sentry from "@sentry/nextjs";

export default function CustomError({ statusCode, reference }) {
  return <p>{statusCode} <output data-fact="reference">{reference}</output></p>;
}

CustomError.getInitialProps = async (context) => {
  const reference = await Sentry.captureUnderscoreErrorException(context);
  return { statusCode: context.res?.statusCode ?? 500, reference: reference ?? null };
};
`;

function copies(): Record<string, string> {
  return Object.fromEntries(placed().map(({ source, path }) => [path, source]));
}
