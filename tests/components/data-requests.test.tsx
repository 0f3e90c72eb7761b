import { expect, test, vi } from "vitest";
import { limitDataRequests } from "@/lib/navigation/data-requests";

test("page data is asked for anew until the server has given it, and other requests are left as they are", async () => {
  const asked: unknown[][] = [];
  const statuses = [503, 200];
  vi.stubGlobal("fetch", async (...args: unknown[]) => {
    asked.push(args);
    const status = statuses.shift();
    if (!status) throw new TypeError("Failed to fetch");
    return new Response("", { status });
  });
  limitDataRequests();
  const { fetch } = window;
  const init = { headers: { "x-nextjs-data": "1" } };
  await fetch("/a.json", init);
  await fetch("/a.json", init);
  await expect(fetch("/a.json", init)).rejects.toThrow("Failed to fetch");
  await expect(fetch("/b.json", init)).rejects.toThrow("Failed to fetch");
  const anew = { ...init, cache: "no-cache" };
  expect(asked).toEqual([
    ["/a.json", anew],
    ["/a.json", anew],
    ["/a.json", init],
    ["/b.json", anew],
  ]);

  asked.length = 0;
  statuses.push(200, 200);
  // Neither is a valid one: the browser says so, or another wrapper knows what it means.
  const strange = { headers: "x-own" } as unknown as RequestInit;
  await fetch("/c", strange);
  await (fetch as (...args: unknown[]) => Promise<Response>)("/d", undefined, "more");
  expect(asked).toEqual([
    ["/c", strange],
    ["/d", undefined, "more"],
  ]);
});
