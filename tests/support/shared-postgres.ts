import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the Postgres that all unit tests of one run share. */
    postgresUrl: string;
  }
}

/** Vitest runs it once, before the first file that needs it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  project.provide("postgresUrl", postgres.url);
  return () => postgres.stop();
}
