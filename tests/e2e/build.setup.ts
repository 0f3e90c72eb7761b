import { test } from "../support/app";
import { buildVariant } from "../support/variants.ts";
import { buildCompanions } from "./companions/build";

test("the build", async ({ variant }) => {
  // On a busy machine.
  test.setTimeout(1_800_000);
  await (variant === "companions" ? buildCompanions() : buildVariant(variant));
});
