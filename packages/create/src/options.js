import { existsSync, readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";

/** Of the texts that the app comes with, in the order in which they are offered. */
export const knownLanguages = ["en", "de", "ar"];

export const usage = `Usage: create-signpost [folder] [options]

  --name <name>         what visitors read, such as "Corner shop"
  --languages <list>    of en, de and ar; the first has URLs without a prefix: en,de
  --inbox               reports are kept and shown by the app itself, at /reports
  --service             reports go to Sentry, or to a service that speaks its protocol
  --yes                 asks nothing, and takes what is usual for what is not said
  --help`;

/**
 * @typedef {object} Options
 * @property {string} folder where the app is written
 * @property {string} name what the product is called
 * @property {string[]} languages the first is that of URLs without a prefix
 * @property {boolean} inbox whether the app shows its reports itself
 */

/** What was typed can't be used. Its message is for who typed it. */
export class UsageError extends Error {}

/**
 * @param {string[]} args after the program's own name
 * @returns {Partial<Options> & { yes: boolean, help: boolean }} what is said; nothing of the rest
 * @throws {UsageError}
 */
export function readArguments(args) {
  const { values, positionals } = parsed(args);
  if (positionals.length > 1) {
    throw new UsageError(`One folder is enough: ${positionals.join(", ")}`);
  }
  if (values.inbox && values.service) {
    throw new UsageError("--inbox and --service are the two choices: take one.");
  }
  const [folder] = positionals;
  return {
    ...(folder && { folder: usableFolder(folder) }),
    ...(values.name !== undefined && { name: usableName(values.name) }),
    ...(values.languages !== undefined && { languages: usableLanguages(values.languages) }),
    ...((values.inbox || values.service) && { inbox: Boolean(values.inbox) }),
    yes: Boolean(values.yes),
    help: Boolean(values.help),
  };
}

/** @param {string[]} args */
function parsed(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: "string" },
        languages: { type: "string" },
        inbox: { type: "boolean" },
        service: { type: "boolean" },
        yes: { type: "boolean", short: "y" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/**
 * Asks for what was not said.
 *
 * @param {Partial<Options>} said
 * @param {(question: string) => Promise<string>} [ask] without it, what is usual is taken
 * @returns {Promise<Options>}
 */
export async function completed(said, ask) {
  const folder = said.folder ?? (await answer(ask, "Folder", "my-app", usableFolder));
  const name = said.name ?? (await answer(ask, "Name of the product", nameOf(folder), usableName));
  const languages =
    said.languages ??
    (await answer(
      ask,
      `Languages, of ${knownLanguages.join(",")}, the first without a prefix in URLs`,
      "en",
      usableLanguages,
    ));
  const inbox =
    said.inbox ??
    (await answer(ask, "Reports: in an inbox of the app's own, or to a service", "inbox", isInbox));
  return { folder, name, languages, inbox };
}

/**
 * @template T
 * @param {((question: string) => Promise<string>) | undefined} ask
 * @param {string} question
 * @param {string} usual
 * @param {(text: string) => T} read
 * @returns {Promise<T>} of the first answer that can be used
 */
async function answer(ask, question, usual, read) {
  if (!ask) return read(usual);
  for (let before = ""; ; ) {
    const said = (await ask(`${before}${question} (${usual}): `)).trim();
    try {
      return read(said || usual);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      before = `${error.message}\n`;
    }
  }
}

/**
 * @param {string} text
 * @returns {string} its absolute path
 */
function usableFolder(text) {
  const folder = resolve(text);
  if (!existsSync(folder)) return folder;
  let files;
  try {
    files = readdirSync(folder);
  } catch {
    throw new UsageError(`${text} is not a folder that can be read: name another.`);
  }
  // What an empty repository and a desktop leave there.
  const others = files.filter((name) => ![".git", ".DS_Store"].includes(name));
  if (others.length === 0) return folder;
  throw new UsageError(`${text} is not empty: it has ${others[0]}. Name another folder.`);
}

/** @param {string} text */
function usableName(text) {
  const name = text.trim();
  if (/^[^"\\\p{Cc}]{1,60}$/u.test(name)) return name;
  throw new UsageError("The name must be 1 to 60 characters, without quotation marks and \\.");
}

/** @param {string} text */
function usableLanguages(text) {
  const languages = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const unknown = languages.filter((language) => !knownLanguages.includes(language));
  if (unknown.length > 0 || languages.length === 0) {
    throw new UsageError(
      `Languages are some of ${knownLanguages.join(",")}, not "${unknown[0] ?? ""}". The app's README says how to add others.`,
    );
  }
  return [...new Set(languages)];
}

/** @param {string} text */
function isInbox(text) {
  if (/^(inbox|service)$/.test(text)) return text === "inbox";
  throw new UsageError("Type inbox or service.");
}

/**
 * @param {string} folder
 * @returns {string} "Corner shop" of `corner-shop`
 */
function nameOf(folder) {
  const words = basename(folder)
    .replace(/[^\p{L}\p{N}']+/gu, " ")
    .trim()
    .slice(0, 60);
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : "My app";
}

/**
 * The name of the package, and in the deployment of a user, units and services.
 * Sources: https://systemd.io/USER_NAMES, https://kubernetes.io/docs/concepts/overview/working-with-objects/names
 *
 * @param {string} folder
 * @returns {string} at most 31 letters, digits and dashes, with a letter first
 */
export function packageNameOf(folder) {
  const words = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  const name = words.replace(/^-/, "").replace(/^(?=\d)/, "app-");
  return name.slice(0, 31).replace(/-$/, "") || "app";
}
