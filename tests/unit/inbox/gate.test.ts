import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import type { GetServerSidePropsContext } from "next";
import { expect, onTestFinished, test, vi } from "vitest";
import { gate } from "@/components/inbox/gate";
import { cookieValue } from "@/lib/inbox/access";

/** The gate on a real port: what it sets on the response, and its decision as the body. */
async function startGate(token: string): Promise<string> {
  vi.stubEnv("INBOX_TOKEN", token);
  vi.stubEnv("DATA_DIR", tmpdir());
  const server = createServer(async (req, res) => {
    const resolvedUrl = req.url ?? "";
    const query = Object.fromEntries(new URL(resolvedUrl, "http://own.example").searchParams);
    const context = { req, res, query, resolvedUrl } as unknown as GetServerSidePropsContext;
    res.end(JSON.stringify(await gate(context)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    vi.unstubAllEnvs();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("the right token opens the inbox, however many wrong ones its address has tried", async () => {
  const url = await startGate("right");
  for (let i = 0; i < 25; i += 1) {
    const answer = await fetch(`${url}/reports?token=wrong${i}`);
    expect(await answer.json()).toEqual({ notFound: true });
    expect(answer.headers.get("set-cookie")).toBeNull();
  }
  const answer = await fetch(`${url}/reports?token=right`);
  expect(await answer.json()).toMatchObject({ redirect: { destination: "/reports" } });
  expect(answer.headers.get("set-cookie")).toContain(await cookieValue("right"));
});
