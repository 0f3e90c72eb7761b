import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, writeIn } from "@/tests/support/folders";
import { completed, packageNameOf, readArguments, UsageError } from "../../src/options.js";

test("flags say everything, so nothing is asked", async () => {
  const folder = join(temporaryFolder(), "corner-shop");
  const { yes, help, ...said } = readArguments([
    ...[folder, "--name", " Ben's Corner ", "--languages", "De, en,de", "--service"],
  ]);
  expect([yes, help]).toEqual([false, false]);
  const never = () => Promise.reject(new Error("asked"));
  expect(await completed(said, never)).toEqual({
    folder,
    name: "Ben's Corner",
    languages: ["de", "en"],
    inbox: false,
  });
});

test("without a terminal, what was not said is what is usual", async () => {
  const folder = join(temporaryFolder(), "ben's-shop");
  expect(readArguments([""]).folder).toBeUndefined();
  const { folder: given } = readArguments([folder, "--yes"]);
  const usual = { folder, name: "Ben's shop", languages: ["en"], inbox: true };
  expect(await completed({ folder: given })).toEqual(usual);
});

test("an answer that can't be used is told, and asked for again", async () => {
  const full = temporaryFolder({ "index.html": "" });
  const folder = join(temporaryFolder(), "shop");
  const answers = [full, folder, "", "fr", "en,ar", "both", "service"];
  const questions: string[] = [];
  const options = await completed({}, async (question) => {
    questions.push(question);
    return answers.shift() ?? "";
  });
  expect(options).toEqual({ folder, name: "Shop", languages: ["en", "ar"], inbox: false });
  expect(questions.filter((question) => question.includes("\n"))).toEqual([
    expect.stringMatching(/ is not empty: it has index\.html\. Name another folder\.\nFolder/),
    expect.stringMatching(/^Languages are some of en,de,ar, not "fr"\./),
    expect.stringMatching(/^Type inbox or service\.\n/),
  ]);
});

test.each([
  [["a", "b"], "One folder is enough: a, b"],
  [["--inbox", "--service"], "--inbox and --service are the two choices"],
  [["--colour", "red"], "Unknown option '--colour'"],
  [["--name", 'A "shop"'], "The name must be 1 to 60 characters"],
  [["--name", " "], "The name must be 1 to 60 characters"],
  [["--languages", "en,fr"], 'not "fr"'],
  [["--languages", ","], "Languages are some of"],
])("%j is refused with a sentence", (args, sentence) => {
  expect(() => readArguments(args)).toThrow(UsageError);
  expect(() => readArguments(args)).toThrow(sentence);
});

test.each([
  ["/srv/Corner Shop!", "corner-shop"],
  ["/srv/.hidden_", "hidden"],
  ["/srv/日本", "app"],
  // Neither a user nor a service may be called so.
  ["/srv/2048--game", "app-2048-game"],
  ["/srv/the-customer-portal-of-the-north-west", "the-customer-portal-of-the-nort"],
  ["/srv/the-customer-portal-of-the-sea-x", "the-customer-portal-of-the-sea"],
])("the package in %s is called %s", (folder, name) => {
  expect(packageNameOf(folder)).toBe(name);
});

function create(folder: string) {
  const args = ["packages/create/src/create.js", folder, "--yes"];
  return spawnSync(process.execPath, args, { encoding: "utf8" });
}

test("a folder that is not empty is refused and left as it is, but for what an empty repository has", () => {
  const folder = temporaryFolder({ "notes.txt": "mine" });
  const { status, stderr } = create(folder);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^.* is not empty: it has notes\.txt\. Name another folder\.\n/);
  expect(existsSync(join(folder, "package.json"))).toBe(false);
  expect(create(writeIn(folder, "file", "")).stderr).toMatch(
    /^.* is not a folder that can be read/,
  );
  const repository = temporaryFolder({ ".git/HEAD": "" });
  expect(readArguments([repository]).folder).toBe(repository);
});

test("a folder that can't be made is told in one sentence", () => {
  const file = writeIn(temporaryFolder(), "file", "");
  const { status, stderr } = create(join(file, "shop"));
  expect(status).toBe(1);
  expect(stderr).toMatch(/^The app can't be written: .*\n$/);
});
