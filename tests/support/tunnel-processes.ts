import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import http from "node:http";
import { basename, join } from "node:path";
import { build } from "vite";
import { onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Bundles the report path's process and its thread. @returns the process's script */
export function bundleTunnel(): Promise<string> {
  return bundleProcess("tests/support/tunnel-process.ts");
}

/**
 * Bundles a process and the outbox's thread: Node resolves no `@/`.
 *
 * @param file of the project
 * @returns the process's script
 */
export async function bundleProcess(file: string): Promise<string> {
  const outDir = join(root, `node_modules/.cache/signpost-tests-${process.pid}`);
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }));
  await build({
    configFile: false,
    logLevel: "error",
    root,
    resolve: { alias: { "@signpost/relay": join(root, "packages/relay/src"), "@": root } },
    plugins: [
      {
        // Node runs no TypeScript below node_modules.
        name: "built-thread",
        renderChunk: (code) => code.replaceAll("./sqlite-thread.ts", "./sqlite-thread.js"),
      },
    ],
    // Vite goes by the NODE_ENV of the tests, and the process runs in production.
    oxc: { jsx: { runtime: "automatic", development: false } },
    build: {
      ssr: true,
      rollupOptions: {
        input: [file, "packages/relay/src/outbox/sqlite-thread.ts"],
        output: { entryFileNames: "[name].js" },
      },
      outDir,
      emptyOutDir: true,
    },
  });
  return join(outDir, basename(file).replace(/\.ts$/, ".js"));
}

export async function startTunnelProcess(script: string, env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [script], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "production", RELAY_RATE: "1000000", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  if (!child.stdout) throw new Error("Expected a pipe.");
  const [port] = await once(child.stdout, "data");
  return { child, port: Number(port) };
}

/** @returns whether it was answered 200 */
export function sendTo(agent: http.Agent, port: number, envelope: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.request({ agent, port, host: "127.0.0.1", method: "POST" });
    request.on("error", () => resolve(false));
    request.on("response", (response) => {
      response.on("error", () => resolve(false));
      response.on("end", () => resolve(response.statusCode === 200));
      response.resume();
    });
    request.end(envelope);
  });
}
