import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "@/tests/support/folders";

test.each(["test", "verify"])("a part of %s is refused, with the commands that run one", (name) => {
  const args = ["tests/run.ts", name, "tests/unit/sum.test.ts"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toBe(
    "This command runs all its tests, and can't use tests/unit/sum.test.ts. For a part of them: npm run unit -- <file>, or npm run e2e -- <file>.\n",
  );
  expect([status, stdout]).toEqual([1, ""]);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s reaches the program that runs, and nothing runs after it",
  async (signal) => {
    const folder = temporaryFolder({
      "program.mjs": `
        process.on("${signal}", () => { console.log("told to stop"); process.exit(); });
        setInterval(() => {}, 1000);
        console.log("ready");
      `,
      "runner.mjs": `
        import { isInterrupted, run } from ${JSON.stringify(pathToFileURL(resolve("tests/support/run.ts")).href)};
        const codes = [await run(process.execPath, ["program.mjs"]), await run(process.execPath, ["program.mjs"])];
        console.log(JSON.stringify([codes, isInterrupted()]));
      `,
    });
    const runner = spawn(process.execPath, ["runner.mjs"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = text(runner.stdout);
    await once(runner.stdout, "readable");
    runner.kill(signal);
    expect(await said).toBe("ready\ntold to stop\n[[130,130],true]\n");
  },
);
