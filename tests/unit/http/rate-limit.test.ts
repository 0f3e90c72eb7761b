import { expect, it } from "vitest";
import { rateKey } from "@/lib/http/client-address";
import { maxAddresses } from "@/lib/http/limits";
import { Rate } from "@/lib/http/rate-limit";

it("gives addresses beyond those it can remember one rate together", async () => {
  const rate = new Rate(1);
  for (let n = 0; n < maxAddresses; n++) expect(await rate.take(`known ${n}`)).toBe(0);
  expect(await rate.take("one too many")).toBe(0);
  expect(await rate.take("another too many")).toBeGreaterThan(0);
  expect(await rate.take("known 7")).toBeGreaterThan(0);
});

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["2001:0db8:0000:0000:1::", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  [undefined, "unknown"],
])("counts %s as %s", (address, key) => {
  expect(rateKey(address)).toBe(key);
});
