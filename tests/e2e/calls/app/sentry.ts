import * as all from "@signpost/sentry";

/** As an object: Turbopack refuses a name that a side lacks, and each snippet says where its name exists. */
export const Sentry = all;
