import { buildVariant } from "../support/variants.ts";

/** Before the tests of this folder: their servers run this build. */
export const setup = () => buildVariant("default");
