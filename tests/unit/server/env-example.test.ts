import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { neededExamples, readBuildConfig, readServerVariables } from "@/lib/config";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

const lines = [...readFileSync(".env.example", "utf8").matchAll(/^# ([A-Z\d_]+)=(.*)$/gm)];
const shown = Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));

test("the values in .env.example are the defaults", () => {
  expect(readRuntimeConfig(shown)).toEqual(readRuntimeConfig({}));
  const needed = neededExamples();
  expect(readServerVariables({ ...shown, ...needed })).toEqual(readServerVariables(needed));
  expect(readBuildConfig(shown)).toEqual(readBuildConfig({}));
});

test("copied as it is, .env.example sets nothing", () => {
  const set = readFileSync(".env.example", "utf8")
    .split("\n")
    .filter((line) => !/^(#|$)/.test(line));
  expect(set).toEqual([]);
});
