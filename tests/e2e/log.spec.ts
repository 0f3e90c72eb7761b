import { expect, test } from "../support/app";

test("a server whose log nobody reads any more goes on, and reports nothing about it", {
  tag: "@verify",
}, async ({ launch, service }) => {
  const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_TRACES_SAMPLE_RATE: "0" });
  app.stopReading();
  const references: string[] = [];
  for (const _ of [1, 2]) {
    references.push((await (await fetch(app.url("/api/failure"))).json()).reference);
    expect((await fetch(app.url("/server"))).status).toBe(200);
  }
  expect(await app.stop()).toBe(0);
  const ids = service.eventIds();
  expect(ids.sort()).toEqual(references.sort());
});
