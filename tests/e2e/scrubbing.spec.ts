import { expect, test } from "../support/app";
import { itemsSent, throwInPage, untilReportingRuns } from "../support/browser-reports";

test.beforeEach(({ faults }) => faults.allow(/./));

/** What this test needs of the client that the SDK keeps on the page. */
interface Client {
  captureEvent(event: object, hint?: object, scope?: Scope): void;
  sendEnvelope(envelope: unknown): void;
}
interface Scope {
  setUser(user: object): Scope;
  setContext(name: string, context: object): Scope;
  getClient(): Client;
}

test("nothing private of the app's own data leaves the browser, whatever kind of item it is in", async ({
  front,
  page,
}) => {
  await page.goto(front.url("/static?q=PLANTED"));
  await untilReportingRuns(front);
  await page.evaluate(() => {
    const { __SENTRY__ } = window as unknown as {
      __SENTRY__: { version: string } & Record<string, { stack: { getScope(): Scope } }>;
    };
    const scope = __SENTRY__[__SENTRY__.version]?.stack.getScope();
    if (!scope) throw new Error("The SDK keeps its scope elsewhere.");
    const client = scope.getClient();
    const secret = "PLANTED-secret";
    const url = `/a?q=${secret}`;
    scope.setUser({ id: "u1", email: `${secret}@example.com`, username: secret });
    scope.setContext("cart", { email: secret, kept: "visible" });
    client.captureEvent(
      { type: "feedback", contexts: { feedback: { message: "m", url } } },
      {},
      scope,
    );
    client.captureEvent(
      {
        type: "transaction",
        transaction: "own",
        contexts: { trace: { trace_id: "a".repeat(32), span_id: "b".repeat(16) } },
        start_timestamp: 1,
        timestamp: 2,
        spans: [{ description: url, data: { "http.url": url, password: secret } }],
      },
      {},
      scope,
    );
    client.captureEvent({ type: "replay_event", urls: [url] }, {}, scope);
    const value = { value: secret, type: "string" };
    for (const type of ["log", "trace_metric"]) {
      const items = [{ body: url, attributes: { "user.email": value, "user.name": value } }];
      client.sendEnvelope([
        {},
        [
          [
            { type, item_count: 1 },
            { version: 2, items },
          ],
        ],
      ]);
    }
  });
  await throwInPage(page, "planted ?q=PLANTED");
  const kinds = ["feedback", "log", "trace_metric", "transaction", "event"];
  for (const kind of kinds) {
    await expect.poll(() => itemsSent(front, kind).length, kind).toBeGreaterThan(0);
  }
  const bodies = front.seen(/\/api\/relay$/).map(({ body }) => body);
  await expect.poll(() => itemsSent(front, "event").length).toBeGreaterThan(1);
  expect(bodies.join()).not.toContain("PLANTED");
  const [feedback] = itemsSent(front, "feedback");
  expect(feedback).toMatchObject({
    user: { id: "u1", email: "[Filtered]", username: "[Filtered]" },
    contexts: { cart: { email: "[Filtered]", kept: "visible" } },
  });
});
