import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { apiResolver } from "next/dist/server/api-utils/node/api-resolver.js";
import { expect, onTestFinished, test } from "vitest";
import * as live from "@/pages/api/health/live";
import * as ready from "@/pages/api/health/ready";
import * as settings from "@/pages/api/settings";
import * as failure from "@/tests/fixtures/pages/api/failure";

const keys = { previewModeId: "a", previewModeEncryptionKey: "b", previewModeSigningKey: "c" };

test.each([
  ["failure", failure, 500, "internal"],
  ["settings", settings, 405, "method_not_allowed"],
  ["health/live", live, 405, "method_not_allowed"],
  ["health/ready", ready, 405, "method_not_allowed"],
])("%s answers as ever to a body that is broken JSON", async (_name, route, status, error) => {
  const server = createServer((req, res) => {
    void apiResolver(req, res, {}, route, { dev: false, ...keys }, false);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{ no JSON",
  });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error });
});
