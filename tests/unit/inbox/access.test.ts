import { expect, test } from "vitest";
import { cookieHeader, cookieValue, isSame } from "@/lib/inbox/access";

test("only the very token opens the inbox", () => {
  expect(isSame("word", "word")).toBe(true);
  for (const wrong of ["", "wor", "wordy", "Word", "w\u00f6rd"]) {
    expect(isSame(wrong, "word")).toBe(false);
  }
});

test("the cookie holds neither the token nor anything of it, and changes with the token alone", async () => {
  const value = await cookieValue("word");
  expect(value).toMatch(/^[\w-]{43}$/);
  expect(value).not.toContain("word");
  expect(await cookieValue("words")).not.toBe(value);
  expect(await cookieValue("word")).toBe(value);
});

test("the cookie is for this app alone, and for https alone where the request came over it", () => {
  expect(cookieHeader("word", "", false)).toBe(
    "signpost-inbox=word; Path=/; HttpOnly; SameSite=Lax",
  );
  expect(cookieHeader("word", "/shell", true)).toBe(
    "signpost-inbox=word; Path=/shell; HttpOnly; SameSite=Lax; Secure",
  );
});
