import type { TestProject } from "vitest/node";
import { type Postgres, startPostgres } from "./postgres.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the Postgres that all unit tests of one run share. */
    postgresUrl: string;
  }
}

let postgres: Postgres | undefined;

/** Vitest runs it once, before the first file that needs it. */
export async function setup(project: TestProject): Promise<void> {
  postgres = await startPostgres();
  project.provide("postgresUrl", postgres.url);
}

export async function teardown(): Promise<void> {
  await postgres?.stop();
}
