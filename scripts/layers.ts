import { dirname, join } from "node:path/posix";

/**
 * The source in layers, from the bottom to the top: each may import itself and those before it.
 * `lib/app` is the team's own: its code may import every layer of the base but the server's.
 */
export const layers = [
  "lib/base",
  "lib/build",
  "lib/relay/http",
  "lib/relay/envelope",
  "lib/relay/source-maps",
  "lib/relay/outbox",
  "lib/relay/delivery",
  "lib/relay/tunnel",
  "lib/relay/feedback",
  "lib/sentry",
  "lib/site/messages",
  "lib/site/routes",
  "lib/site/policy",
  "lib/site/navigation",
  "lib/inbox/model",
  "lib/inbox/views",
  "lib/inbox",
  "lib/app",
  "lib/server",
  "components",
  "pages",
] as const;

type Layer = (typeof layers)[number];

/** Rooms that run without React and without Next. */
const plain = /^lib\/(relay|inbox)\//;

/** Of all files, only these import `lib/server`: no other runs on the server alone. */
const onServer = /^(lib\/server|pages\/api)\/|^instrumentation\.ts$/;

/** What the browser loads late, with Sentry's SDK in it: types apart, by one `import()` alone. */
const late = "lib/sentry/browser/sdk/";
const lateImporter = "lib/sentry/browser/first-load/watch-errors.ts";

/** Statements begin a line; an `import()` may be anywhere. */
const specifier =
  /(?:^(?:import|export)\b(?:[^;'"`]*?\bfrom)?\s*|\b(?:import|require)\(\s*)["']([^"']+)["']/gm;

/**
 * Checks which layers each file imports, and that what the browser loads late stays late.
 *
 * @param sources texts by path, with slashes, from the project's folder
 * @returns a sentence for each import that goes upwards, or into what is loaded late
 */
export function layerFaults(sources: Record<string, string>): string[] {
  return Object.entries(sources).flatMap(([file, text]) => {
    if (isOutside(file)) return [`${file} is in no layer: add its folder to scripts/layers.ts.`];
    return [...text.matchAll(specifier)].flatMap(
      ([statement, name = ""]) => faultOf(file, name) ?? lateFaultOf(file, statement, name) ?? [],
    );
  });
}

/** A file of the root may import every layer; one of `lib` must be in a layer itself. */
function isOutside(file: string): boolean {
  return file.startsWith("lib/") && !layerOf(file);
}

function faultOf(file: string, name: string): string | undefined {
  const own = layerOf(file);
  if (own && plain.test(`${own}/`) && /^(react|react-dom|next)(\/|$)/.test(name)) {
    return `${file} imports ${name}: ${own} uses neither React nor Next.`;
  }
  const imported = layerOf(pathOf(file, name));
  if (!imported || imported === own) return undefined;
  if (imported === "lib/server") {
    if (onServer.test(file)) return undefined;
    return `${file} imports ${name}: only instrumentation.ts and pages/api import lib/server.`;
  }
  if (!own || layers.indexOf(imported) < layers.indexOf(own)) return undefined;
  return `${file} imports ${name}: ${imported} is above ${own} in the list of scripts/layers.ts.`;
}

function lateFaultOf(file: string, statement: string, name: string): string | undefined {
  if (file.startsWith(late) || !pathOf(file, name).startsWith(late)) return undefined;
  if (/^(import|export) type\b/.test(statement)) return undefined;
  if (file === lateImporter && statement.startsWith("import(")) return undefined;
  return `${file} imports ${name}: only the import() in ${lateImporter} keeps it out of the first load.`;
}

/** The path that an import names, from the project's folder; a package's name stays as it is. */
function pathOf(file: string, name: string): string {
  if (name.startsWith("@/")) return name.slice(2);
  return name.startsWith(".") ? join(dirname(file), name) : `node_modules/${name}`;
}

function layerOf(path: string): Layer | undefined {
  const name = path.replace(/\.[cm]?[jt]sx?$/, "");
  return layers.find((layer) => name === layer || name.startsWith(`${layer}/`));
}
