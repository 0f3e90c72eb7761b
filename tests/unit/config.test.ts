import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  appVariables,
  keepDeploymentId,
  neededExamples,
  readBuildConfig,
  readServerVariables,
} from "@/lib/config";
import { checkEnvironment } from "@/packages/sentry/src/shared/environment/check-environment";
import { variables } from "@/packages/sentry/src/shared/environment/runtime";
import { temporaryFolder } from "@/tests/support/folders";

test("an empty environment builds an app at the root, whose tunnel is called relay", () => {
  expect(readBuildConfig({})).toEqual({
    basePath: "",
    tunnel: "relay",
    siteOrigin: undefined,
    deploymentId: undefined,
  });
});

test.each([
  ["DELIVER_TOKEN", "too-short", "16 to 256"],
  ["METRICS_TOKEN", "my secret is long", "16 to 256"],
  ["KEEP_ALIVE_TIMEOUT", "65", "must be milliseconds, a whole number from 1000"],
])("a server refuses %s=%s, with an example", (name, value, fault) => {
  const refused = () => readServerVariables({ [name]: value });
  expect(refused).toThrow(`for example ${name}=`);
  expect(refused).toThrow(fault);
  if (name.endsWith("TOKEN")) expect(refused).not.toThrow(value);
});

describe("a build refuses", () => {
  const apiNames = readdirSync("pages/api").map((file) => file.replace(/\..*/, ""));

  test.each([
    ["NEXT_PUBLIC_BASE_PATH", "shell", "must begin with a slash"],
    ["NEXT_PUBLIC_BASE_PATH", "/shell/", "must begin with a slash and not end with one"],
    ["NEXT_PUBLIC_BASE_PATH", "/", "must begin with a slash and not end with one"],
    ["NEXT_PUBLIC_BASE_PATH", "/a b", "must begin with a slash"],
    ["SITE_ORIGIN", "https://www.example.com/", "must be an origin"],
    ["SITE_ORIGIN", "www.example.com", "must be an origin"],
    ["NEXT_PUBLIC_TUNNEL", "a/b", "must be 1 to 64 letters"],
    ["NEXT_DEPLOYMENT_ID", "v1.2", "must be 1 to 64 letters"],
    ["NEXT_PUBLIC_TUNNEL", "metrics", "is the name of another API route"],
    ["NEXT_PUBLIC_TUNNEL", "health", "is the name of another API route"],
  ])("%s=%s", (name, value, fault) => {
    expect(() => readBuildConfig({ [name]: value }, apiNames)).toThrow(fault);
    expect(() => readBuildConfig({ [name]: value }, apiNames)).toThrow(`${name}=`);
  });
});

test.each([
  ["deployment-1", "deployment-1"],
  ["", undefined],
])(
  "a build keeps the deployment it was made for (%j), whatever the environment says",
  (built, kept) => {
    const files = JSON.stringify({ config: { deploymentId: built } });
    const folder = temporaryFolder({ "required-server-files.json": files });
    const given = { NEXT_DEPLOYMENT_ID: "another" };
    expect(keepDeploymentId(folder, given)).toBe(kept);
    expect(given.NEXT_DEPLOYMENT_ID).toBe(built);
  },
);

describe("a variable that must be set", () => {
  const schema = z.object({
    PLAIN: z.string(),
    SECRET: z.string().meta({ example: "a-long-random-word", secret: true }),
    OPTIONAL: z.string().optional().meta({ example: "a" }),
    DEFAULT: z.string().default("a").meta({ example: "b" }),
  });

  test.each([{}, { PLAIN: "", SECRET: "" }])("is named where it is not: %j", (env) => {
    expect(() => checkEnvironment(schema, env)).toThrow(
      /:\n {2}PLAIN must be set\n {2}SECRET must be set, for example SECRET=a-long-random-word$/,
    );
  });

  test("has its example in the tests", () => {
    expect(neededExamples(schema)).toEqual({ PLAIN: "", SECRET: "a-long-random-word" });
  });
});

test("the reporting reads none of the app's own variables", () => {
  expect(variables.filter((name) => appVariables.includes(name))).toEqual([]);
});
