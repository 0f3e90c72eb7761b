import { expect, test } from "vitest";
import { cookieHeader, cookieValue, isSame } from "@/lib/inbox/access";
import { WrongTokens } from "@/lib/inbox/wrong-tokens";

test("only the very token opens the inbox", () => {
  expect(isSame("word", "word")).toBe(true);
  for (const wrong of ["", "wor", "wordy", "Word", "w\u00f6rd"]) {
    expect(isSame(wrong, "word")).toBe(false);
  }
});

test("the cookie holds neither the token nor anything of it, and changes with the token", () => {
  expect(cookieValue("word")).toMatch(/^[\w-]{43}$/);
  expect(cookieValue("word")).not.toContain("word");
  expect(cookieValue("word")).not.toBe(cookieValue("words"));
});

test("the cookie is for this app alone, and for https alone where the request came over it", () => {
  expect(cookieHeader("word", "", false)).toBe(
    `signpost-inbox=${cookieValue("word")}; Path=/; HttpOnly; SameSite=Lax`,
  );
  expect(cookieHeader("word", "/shell", true)).toBe(
    `signpost-inbox=${cookieValue("word")}; Path=/shell; HttpOnly; SameSite=Lax; Secure`,
  );
});

test("an address that tries token after token has to wait for the next minute, and nobody else", () => {
  const wrong = new WrongTokens();
  for (let i = 0; i < 29; i += 1) wrong.add("192.0.2.1", 1000);
  expect(wrong.tooMany("192.0.2.1", 1000)).toBe(false);
  wrong.add("192.0.2.1", 1000);
  expect(wrong.tooMany("192.0.2.1", 60_999)).toBe(true);
  expect(wrong.tooMany("192.0.2.2", 60_999)).toBe(false);
  expect(wrong.tooMany("192.0.2.1", 61_000)).toBe(false);
});

test("whoever comes with ever new addresses shares one count with the others", () => {
  const wrong = new WrongTokens();
  for (let i = 0; i < 10_030; i += 1) wrong.add(`address ${i}`, 0);
  expect(wrong.tooMany("address 20000", 0)).toBe(true);
  expect(wrong.tooMany("address 5", 0)).toBe(false);
});
