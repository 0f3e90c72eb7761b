import { capturing } from "./capturing";
import { client } from "./client";
import { integrations } from "./integrations";
import { react } from "./react";
import { scopes } from "./scopes";
import type { Snippet } from "./snippet";
import { telemetry } from "./telemetry";
import { tracing } from "./tracing";

/** In their order, but for those that change their process: they come last. */
export const snippets: Snippet[] = [
  ...capturing,
  ...scopes,
  ...tracing,
  ...telemetry,
  ...react,
  ...integrations,
  ...client,
].sort((a, b) => Number(a.alone ?? false) - Number(b.alone ?? false));
