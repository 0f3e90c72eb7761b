import { createRequire } from "node:module";
import * as browser from "@sentry/browser";

const require = createRequire(import.meta.url);
const ofReact = createRequire(require.resolve("@sentry/nextjs"));

/**
 * Of Sentry's SDK for servers, which is a CommonJS module: of one, a bundler lets a page name what it lacks, as a
 * page of the browser's names does. So those are here too, and are undefined.
 */
const namesOfSdk = [
  ...new Set([...Object.keys(require("@sentry/nextjs")), ...Object.keys(ofReact("@sentry/react"))]),
].filter((name) => !/^(default|__esModule)$/.test(name));

/**
 * Node sees few of a CommonJS module's names: the module as a whole has them all.
 *
 * @param {string} text
 */
export function withNames(text) {
  const from = 'from "@sentry/nextjs";';
  const all = `const sdk = "default" in nextjs ? nextjs.default : nextjs;`;
  const own = ownNames(text);
  const more = namesOfSdk.filter((name) => !own.has(name));
  return text
    .replace(
      /^import \{([^}]*)\} from "@sentry\/nextjs";/gm,
      (/** @type {string} */ _, /** @type {string} */ names) => {
        const taken = names.replace(/ as /g, ": ");
        return `import * as nextjs ${from}\n${all}\nconst {${taken}} = sdk;`;
      },
    )
    .replace(
      /^import \* as Sentry from "@sentry\/nextjs";/m,
      `import * as nextjs ${from}\n${all}\nconst Sentry = sdk;`,
    )
    .replace(`export * ${from}`, `export const { ${more.join(", ")} } = sdk;`);
}

/**
 * What a file exports beside the names of all of another one.
 *
 * @param {string} text
 */
function ownNames(text) {
  const exported = [...text.matchAll(/^export (?:const (\w+)|\{([^}]*)\})/gm)];
  return new Set(
    exported.flatMap(([, name, list = ""]) => [
      name,
      ...list
        .split(",")
        .map((/** @type {string} */ one) => (one.split(" as ").at(-1) ?? "").trim()),
    ]),
  );
}

/** Each of these is a chunk of its own: packages/sentry/src/browser/integrations/. */
const apart = /^(browserProfiling|feedback\w*|replay\w*)Integration$/;

/**
 * A bundler would keep all of the SDK for `export *` in what is imported late, however much of it stands elsewhere.
 *
 * @param {string} text
 */
export function withBrowserNames(text) {
  const names = Object.keys(browser).filter((name) => !apart.test(name));
  return text.replace("export *", `export { ${names.join(", ")} }`);
}
