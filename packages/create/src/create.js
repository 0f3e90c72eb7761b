#!/usr/bin/env node
import { relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { completed, readArguments, UsageError, usage } from "./options.js";
import { writeApp } from "./write-app.js";

const terminal = process.stdin.isTTY
  ? createInterface({ input: process.stdin, output: process.stdout })
  : undefined;
const leave = () => process.exit(130);
// Ctrl-C and Ctrl-D close it.
terminal?.once("close", leave);

try {
  const { yes, help, ...said } = readArguments(process.argv.slice(2));
  if (help) {
    say(usage);
  } else {
    const asks = terminal && !yes;
    const options = await completed(said, asks ? (text) => terminal.question(text) : undefined);
    writeApp(options);
    report(options);
  }
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`${sentenceOf(error)}\n`);
} finally {
  terminal?.off("close", leave).close();
}

/** @param {import("./options.js").Options} options */
function report({ folder, name, languages, inbox }) {
  const path = relative(".", folder);
  const enter = path ? `cd ${/[^\p{L}\w@./\\:~+-]/u.test(path) ? `"${path}"` : path} && ` : "";
  say(`
${name} is in ${folder}, in ${languages.join(", ")}. Two commands:

  ${enter}npm install && npm run dev
  npm test
${inbox ? "" : "\nReports wait on disk until SENTRY_DSN names the service: README.md says where.\n"}`);
}

/**
 * @param {unknown} error
 * @throws where whoever typed the command can't mend it
 */
function sentenceOf(error) {
  if (error instanceof UsageError) {
    return `${error.message}\ncreate-signpost --help says what can be typed.`;
  }
  if (error instanceof Error && "syscall" in error) {
    return `The app can't be written: ${error.message}`;
  }
  throw error;
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}
