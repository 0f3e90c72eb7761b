import { join } from "node:path";
import { withSentryConfig } from "@signpost/sentry/config";

const root = join(import.meta.dirname, "../../..");

export default withSentryConfig(
  {
    turbopack: { root },
    outputFileTracingRoot: root,
    typescript: { ignoreBuildErrors: true },
  },
  { silent: true, telemetry: false, sourcemaps: { disable: true } },
);
