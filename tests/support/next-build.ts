import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { resolve } from "node:path";

/**
 * Builds the app in a folder, without a word if it succeeds.
 *
 * @param more variables for the build
 * @param args of `next build`
 * @throws {Error} with all that Next has said
 */
export async function nextBuild(
  folder: string,
  more: Record<string, string> = {},
  args: string[] = [],
): Promise<void> {
  // The folder's own, where it has one: two copies of React would be in one build.
  const next = createRequire(resolve(folder, "package.json")).resolve("next/dist/bin/next");
  const child = spawn(process.execPath, [next, "build", ...args], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`The build in ${folder} ended with ${code}:\n${said}`);
}
