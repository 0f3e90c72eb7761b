import { apiResolver } from "next/dist/server/api-utils/node/api-resolver.js";
import { expect, test } from "vitest";
import * as live from "@/pages/api/health/live";
import * as ready from "@/pages/api/health/ready";
import * as failure from "@/tests/fixtures/pages/api/failure";
import { listen } from "@/tests/support/listening";

const keys = { previewModeId: "a", previewModeEncryptionKey: "b", previewModeSigningKey: "c" };

test.each([
  ["failure", failure, 500, "internal"],
  ["health/live", live, 405, "method_not_allowed"],
  ["health/ready", ready, 405, "method_not_allowed"],
])("%s answers as ever to a body that is broken JSON", async (_name, route, status, error) => {
  const { origin } = await listen((req, res) => {
    void apiResolver(req, res, {}, route, { dev: false, ...keys }, false);
  });
  const answer = await fetch(origin, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{ no JSON",
  });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error });
});
