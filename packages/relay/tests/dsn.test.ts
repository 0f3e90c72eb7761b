import { describe, expect, test } from "vitest";
import { parseDsn } from "@/packages/relay/src/dsn";

describe("parseDsn", () => {
  test.each([
    ["https://key@sentry.example.com/1", "key", "1", "https://sentry.example.com/api/1/envelope/"],
    ["http://key@localhost:8000/42", "key", "42", "http://localhost:8000/api/42/envelope/"],
    ["https://key@example.com/a/b/7", "key", "7", "https://example.com/a/b/api/7/envelope/"],
    ["https://key@[::1]:9000/1", "key", "1", "https://[::1]:9000/api/1/envelope/"],
    ["https://k%40y@example.com/1", "k@y", "1", "https://example.com/api/1/envelope/"],
  ])("reads %s", (text, publicKey, projectId, envelopeUrl) => {
    expect(parseDsn(text)).toMatchObject({ text, publicKey, projectId, envelopeUrl });
  });

  test("lets the legacy secret key go", () => {
    expect(parseDsn("https://key:secret@example.com/1")?.text).toBe("https://key@example.com/1");
  });

  test.each([
    "",
    "nonsense",
    "https://example.com/1",
    "https://key@example.com",
    "https://key@example.com/",
    "https://key@example.com/1/",
    "ftp://key@example.com/1",
    "https://key@example.com/1?a=b",
    "https://key@example.com/1#a",
    "key@example.com/1",
    "https://k%zz@example.com/1",
  ])("refuses %j", (text) => {
    expect(parseDsn(text)).toBeUndefined();
  });
});
