import { readFileSync } from "node:fs";
import { join } from "node:path";

/*
 * The files of an app that adopts the reporting (scripts/adopt.ts), as they are changed for it: text in,
 * text out. They stay as they are otherwise. What is left to do by hand is added to `left`, as sentences.
 */

const signpost = join(import.meta.dirname, "..");
const ownPackage = JSON.parse(readFileSync(join(signpost, "package.json"), "utf8"));

/** What the copied files import. */
const packages = [
  "@sentry/browser",
  "@sentry/browser-utils",
  "@sentry/core",
  "@sentry/nextjs",
  "pg",
  "proxy-addr",
  "rate-limiter-flexible",
  "sentry-scopes",
  "zod",
];
/** What Next asks for as soon as there is a TypeScript file. */
const typeScript: Record<string, string> = {
  // Newer ones refuse `baseUrl`, which many a jsconfig.json has.
  typescript: "5.9.3",
  "@types/node": ownPackage.devDependencies["@types/node"],
  "@types/react": ownPackage.devDependencies["@types/react"],
};

/** @returns Sentry's functions from lib/sentry, and without what the reporting does itself */
export function withoutWizard(text: string): string {
  const changed = text
    .replace(/(["'])@sentry\/nextjs\1/g, "$1@/lib/sentry$1")
    .replace(/\bSentry\.wrapApiHandlerWithSentry\(\s*(\w+)\s*(?:,[^()]*)?\)/g, "$1")
    .replace(
      /^(?:[ \t]*\/\/.*\n)*[ \t]*(?:await |return )?Sentry\.captureUnderscoreErrorException\([^()]*\);?\n/gm,
      "",
    );
  const isUsed = /\bSentry\.\w/.test(changed);
  return isUsed ? changed : changed.replace(/^import \* as Sentry from .*\n/m, "");
}

/** The words of a file that exports all functions of lib/sentry by their names. */
const functions = new Set(
  readFileSync(join(signpost, "lib/sentry/server.ts"), "utf8").match(/\w+/g),
);

/** @returns names that a file takes from lib/sentry and that are not there */
export function missingFunctions(text: string): string[] {
  const named = [...text.matchAll(/import \{([^{}]*)\} from ["']@\/lib\/sentry["']/g)];
  const names = [
    ...[...text.matchAll(/\bSentry\.(\w+)/g)].map(([, name = ""]) => name),
    ...named.flatMap(([, list = ""]) =>
      list.split(",").map((one) => /^\s*(?:type\s+)?(\w*)/.exec(one)?.[1] ?? ""),
    ),
  ];
  return [...new Set(names)].filter((name) => name && !functions.has(name));
}

/** @returns the first number of a version or a range; undefined for what is neither */
export const majorOf = (version: string) => /\d+/.exec(version)?.[0];

/** @param src "src/" or nothing, as everywhere here: the folder with pages/ */
export function packageWith(text: string, src: string, left: string[]): string {
  const manifest = JSON.parse(text);
  const { dependencies = {}, devDependencies = {} } = manifest;
  manifest.engines = { ...manifest.engines, node: ownPackage.engines.node };
  const [browser, server] = ["browser", "server"].map((half) => `./${src}lib/sentry/${half}.ts`);
  manifest.imports = { ...manifest.imports, "#sentry": { browser, default: server } };
  manifest.dependencies = { ...dependencies };
  for (const name of packages) {
    const [own, needed] = [dependencies[name], ownPackage.dependencies[name]];
    // Of Sentry's packages, the reporting uses private parts.
    const isFixed = name.startsWith("@sentry/");
    if (own && !isFixed && majorOf(own) === majorOf(needed)) continue;
    manifest.dependencies[name] = needed;
    if (own && own.replace(/^[\^~]/, "") !== needed) {
      left.push(
        `${name} is ${needed} in package.json now, as the reporting needs it, and was ${own}: see what that changes in your own code.`,
      );
    }
  }
  const missing = Object.entries(typeScript).filter(
    ([name]) => !dependencies[name] && !devDependencies[name],
  );
  if (missing.length > 0) {
    manifest.devDependencies = { ...devDependencies, ...Object.fromEntries(missing) };
  }
  return `${JSON.stringify(manifest, null, /^[ \t]+/m.exec(text)?.[0] ?? 2)}\n`;
}

const options = /("compilerOptions"\s*:\s*\{)(\s*)(\}?)/;
const paths = /("paths"\s*:\s*\{)(\s*)(\}?)/;
const alias = /("@\/\*"\s*:\s*\[)([^\]]*)/;

/** @param text that of jsconfig.json where there is no tsconfig.json. It may have comments */
export function tsconfigWith(text: string, src: string, left: string[]): string {
  const extended = text.includes("allowImportingTsExtensions")
    ? text
    : inserted(text, options, '"allowImportingTsExtensions": true');
  const baseUrl = /"baseUrl"\s*:\s*"(?:\.\/)?(\w+)/.exec(text)?.[1];
  const target = src && baseUrl !== "src" ? "src/*" : "*";
  const own = alias.exec(extended)?.[2];
  if (own !== undefined) {
    const leads = own.split(",").some((one) => one.trim().replace(/^"(\.\/)?|"$/g, "") === target);
    return leads ? extended : extended.replace(alias, `$1"./${target}", $2`);
  }
  const line = `"@/*": ["./${target}"]`;
  if (paths.test(extended)) return inserted(extended, paths, line);
  // Its own paths would take the place of those that it extends.
  if (text.includes('"extends"')) {
    left.push(`tsconfig.json needs ${line} among the paths of what it extends.`);
    return extended;
  }
  return inserted(extended, options, `"paths": { ${line} }`);
}

/** @param at an opening brace, the space after it, and the closing one where nothing stands between */
function inserted(text: string, at: RegExp, line: string): string {
  return text.replace(at, (_all, open, space, close) =>
    close ? `${open} ${line} }` : `${open}${space}${line},${space}`,
  );
}

/** @returns without what the server stores beside the app */
export function gitignoreWith(text: string): string {
  if (/^\/?data\/?$/m.test(text)) return text;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}/data/\n`;
}

/** The export of a configuration by its name, or of a plugin's call with it. */
const exported = /^(export default|module\.exports =) ([\w.]+(?:\([\w.]*\))?);?\s*$/m;

/**
 * @param text of next.config
 * @param from the module with `withReporting`, relative to it
 * @returns with `withReporting` in place of Sentry's wrapper; undefined if that is not found to be safe
 */
export function configWith(text: string, from: string): string | undefined {
  const own = text
    .replace(/^(?:import|const) \{ withSentryConfig \} (?:from|= require\().*\n/m, "")
    .replace(/^\/\/ Injected content via Sentry wizard below\n+/m, "")
    .replace(
      /^(export default|module\.exports =) withSentryConfig\(\s*([\w.]+(?:\([\w.]*\))?)\s*(?:,[\s\S]*?\}\s*)?,?\s*\);?\s*$/m,
      "$1 $2;\n",
    )
    .replace(/^module\.exports = module\.exports;\n/m, "");
  if (/\bwithSentryConfig\b/.test(own)) return undefined;
  if (/^module\.exports\b/m.test(own)) {
    const wrapped = exported.test(own)
      ? own.replace(exported, "$1 withReporting($2);\n")
      : `${own.trimEnd()}\n\nmodule.exports = withReporting(module.exports);\n`;
    return `const { withReporting } = require("${from}");\n${wrapped}`;
  }
  if (!/^export default /m.test(own)) return undefined;
  const wrapped = exported.test(own)
    ? own.replace(exported, "$1 withReporting($2);\n")
    : `${own.replace(/^export default /m, "const ownConfig = ").trimEnd()}\n\nexport default withReporting(ownConfig);\n`;
  return `import { withReporting } from "${from}";\n${wrapped}`;
}
