import { withSentryConfig } from "@signpost/sentry/config";
import type { NextConfig } from "next";

const config: NextConfig = {
  reactStrictMode: true,
  output: process.env.OUTPUT as NextConfig["output"],
};

export default withSentryConfig(config);
