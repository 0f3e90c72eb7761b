import { createServer, type RequestListener, ServerResponse } from "node:http";
import { captureException, getClient } from "@sentry/nextjs";
import type { NextApiRequest, NextApiResponse, NextPageContext } from "next";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { apiRoute } from "@/lib/server/api-route";
import { replaceBareErrors } from "@/lib/server/fallback-error-page";
import { referenceOnErrorPage } from "@/packages/sentry/src/server/references";
import { reportRequestError } from "@/packages/sentry/src/server/request-errors";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";
import ErrorPage from "@/pages/_error";
import { listen } from "@/tests/support/listening";

/** Ids of the events that have reached the store; each is stored once `store` is called. */
const arrived: string[] = [];
let store: () => void;
let stored: Promise<void>;

beforeAll(() => {
  startReporting({
    options: {
      beforeSend: (event, { originalException }) =>
        String(originalException).includes("looked at later") ? Promise.resolve(event) : event,
    },
    config: readRuntimeConfig({ NODE_ENV: "production" }),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      async append(envelope) {
        const [header = ""] = Buffer.from(envelope).toString().split("\n", 1);
        arrived.push((JSON.parse(header) as { event_id: string }).event_id);
        await stored;
      },
      async countDrops() {},
    },
  });
});

afterAll(() => getClient()?.close());

beforeEach(() => {
  arrived.length = 0;
  stored = new Promise((resolve) => {
    store = resolve;
  });
});

afterEach(() => store());

async function serve(answer: RequestListener): Promise<string> {
  class Watched extends ServerResponse {}
  replaceBareErrors(Watched.prototype as unknown as ServerResponse);
  const server = createServer({ ServerResponse: Watched as typeof ServerResponse }, answer);
  return (await listen(server)).origin;
}

async function told(url: string): Promise<string> {
  return (await fetch(url, { headers: { Accept: "text/html" } })).text();
}

const failingRoute = apiRoute({
  GET() {
    throw new Error("failed in an API route");
  },
});

const looksLater = apiRoute({
  GET() {
    throw new Error("looked at later, by the team's hook");
  },
});

const capturesItself = apiRoute({
  GET() {
    const error = new Error("captured by the team");
    captureException(error);
    throw error;
  },
});

async function answerOf(route: typeof failingRoute): Promise<string> {
  return told(
    await serve((request, response) => {
      const res = Object.assign(response, { status: () => response });
      void route(request as NextApiRequest, res as unknown as NextApiResponse);
    }),
  );
}

/** Each names the report of an error of its own. */
const answers: [string, () => Promise<string>][] = [
  [
    "an answer of Next's own, to a request that failed,",
    async () => {
      const error = new Error("failed in a route of Next's");
      const request = { path: "/server", method: "GET", headers: {} };
      await reportRequestError(error, request, {
        routerKind: "Pages Router",
        routePath: "/server",
        routeType: "render",
        revalidateReason: undefined,
      });
      return referenceOnErrorPage(error);
    },
  ],
  ["an API route's answer", () => answerOf(failingRoute)],
  ["an answer whose report the team's hook looks at later", () => answerOf(looksLater)],
  ["an answer whose error the team has captured itself", () => answerOf(capturesItself)],
  [
    "the fallback error page",
    async () =>
      told(
        await serve((_request, response) => {
          response.statusCode = 500;
          response.end("Internal Server Error");
        }),
      ),
  ],
  [
    "the error page",
    async () => {
      const err = new Error("failed in a page");
      const req = { headers: {}, method: "GET", url: "/" };
      const context = { err, req, res: { statusCode: 500 } } as unknown as NextPageContext;
      return JSON.stringify(await ErrorPage.getInitialProps(context));
    },
  ],
];

test.each(answers)("%s waits until its report is stored", async (_name, answer) => {
  let isAnswered = false;
  const text = answer().finally(() => {
    isAnswered = true;
  });
  await expect.poll(() => arrived).toHaveLength(1);
  // A server answers meanwhile, more than once.
  const idle = await serve((_request, response) => response.end());
  for (let n = 0; n < 10; n++) await told(idle);
  expect(isAnswered).toBe(false);
  store();
  expect(await text).toContain(arrived[0]);
});

test("no answer waits for ever for a store that hangs", async () => {
  const texts = await Promise.all(answers.map(([, answer]) => answer()));
  expect(arrived).toHaveLength(answers.length);
  for (const id of arrived) expect(texts.filter((text) => text.includes(id))).toHaveLength(1);
});
