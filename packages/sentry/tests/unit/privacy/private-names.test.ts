import { expect, test } from "vitest";
import { privateNames } from "@/packages/sentry/src/shared/privacy/private-names";

const isPrivate = privateNames([]);

test.each(
  [
    "password userPassword X-Api-Key access_token accesstoken token auth email contact_email E-Mail",
    "user.name userName ip_address client.address x-forwarded-for http.request.header.cookie",
    "Set-Cookie headers body user_agent.original cvv2 oauth2 oauth2State token1 last4ssn",
  ].flatMap((line) => line.split(" ")),
)("%s is private", (name) => {
  expect(isPrivate(name, "extra")).toBe(true);
});

test.each(
  [
    "author input_tokens name id key environment filename server.address url.full infer_ip",
    "request_body_size http.response.body.decoded_size sentry.release",
  ].flatMap((line) => line.split(" ")),
)("%s is not private", (name) => {
  expect(isPrivate(name, "extra")).toBe(false);
});

test("a name counts together with the one above it", () => {
  expect(isPrivate("name", "user")).toBe(true);
  expect(isPrivate("key", "api")).toBe(true);
  expect(isPrivate("contact_email", "feedback")).toBe(false);
});

test("a name in the detail of a measure counts as it is there", () => {
  const inDetail = (name: string) => `sentry.browser.measure.detail.${name}`;
  expect(isPrivate(inDetail("ip"), "data")).toBe(true);
  expect(isPrivate(inDetail("email"), "data")).toBe(true);
  expect(isPrivate(inDetail("items"), "data")).toBe(false);
  expect(privateNames(["email"])(inDetail("email"), "data")).toBe(false);
});

test("an allowed name is allowed wherever it is, or below one name only", () => {
  const everywhere = privateNames(["email"]);
  expect(everywhere("email", "cart")).toBe(false);
  expect(everywhere("Email", "user")).toBe(false);
  expect(everywhere("workEmail", "cart")).toBe(true);
  const there = privateNames(["cart.email"]);
  expect(there("email", "cart")).toBe(false);
  expect(there("email", "user")).toBe(true);
});

test("an added name is private wherever it is in a name, however that is written", () => {
  const names = privateNames([], ["membership", "tax-number"]);
  for (const name of ["membership", "X-Membership", "membershipId", "TaxNumber"]) {
    expect(names(name, "extra")).toBe(true);
    expect(isPrivate(name, "extra")).toBe(false);
  }
  expect(names("member", "extra")).toBe(false);
});

test("a name of any script can be added, and takes no other along", () => {
  const names = privateNames([], ["отчество", "姓名", "--"]);
  expect(names("Отчество", "extra")).toBe(true);
  // An accent of its own, as some keyboards write it.
  expect(privateNames([], ["café"])("cafe\u0301", "extra")).toBe(true);
  expect(names("客户姓名", "extra")).toBe(true);
  expect(names("colour", "extra")).toBe(false);
  expect(names("город", "extra")).toBe(false);
});

test("what is inside of something allowed is looked at by its own name", () => {
  const names = privateNames(["credentials"]);
  expect(names("kind", "credentials")).toBe(false);
  expect(names("password", "credentials")).toBe(true);
});

test("a long name costs little, and many names are not kept", () => {
  const before = process.cpuUsage();
  for (let i = 0; i < 3000; i++) isPrivate(`${"aB".repeat(50_000)}${i}`, "x");
  expect(isPrivate("password", "x")).toBe(true);
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});
