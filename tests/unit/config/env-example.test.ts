import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildVariables, readBuildConfig } from "@/lib/config/build.js";
import { readRuntimeConfig, runtimeVariables } from "@/lib/config/runtime.js";

/** Where the server listens is read by the commands: see scripts/listen-address.js. */
const listenVariables = ["PORT", "HOST"];

const lines = [...readFileSync(".env.example", "utf8").matchAll(/^# ([A-Z_]+)=(.*)$/gm)];
const shown = Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));

test(".env.example names every variable there is, once, and no other", () => {
  expect(lines.map(([, name]) => name).sort()).toEqual(
    [...listenVariables, ...buildVariables, ...runtimeVariables].sort(),
  );
});

test("the values in .env.example are the defaults", () => {
  const token = { INBOX_TOKEN: "made-up-otherwise" };
  expect(readRuntimeConfig({ ...shown, ...token })).toEqual(readRuntimeConfig(token));
  expect(readBuildConfig(shown, [])).toEqual(readBuildConfig({}, []));
});

test("copied as it is, .env.example sets nothing", () => {
  const set = readFileSync(".env.example", "utf8")
    .split("\n")
    .filter((line) => !/^(#|$)/.test(line));
  expect(set).toEqual([]);
});
