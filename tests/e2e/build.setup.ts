import { test } from "../support/app";
import { buildVariant } from "../support/variants.ts";

test("the build", async ({ variant }) => {
  // On a busy machine.
  test.setTimeout(1_800_000);
  await buildVariant(variant);
});
