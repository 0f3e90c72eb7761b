import { withSentryConfig } from "@signpost/sentry/config";
import type { NextConfig } from "next";

const elsewhere = process.env.ELSEWHERE;

const config: NextConfig = {
  reactStrictMode: true,
  output: process.env.OUTPUT as NextConfig["output"],
  rewrites: async () => ({
    fallback: elsewhere ? [{ source: "/api/:path*", destination: `${elsewhere}/api/:path*` }] : [],
  }),
};

export default withSentryConfig(config);
