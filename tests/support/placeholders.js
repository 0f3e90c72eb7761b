import { perform, recipe } from "./recipes.js";

const steps = recipe("The placeholders");

/**
 * What a team replaces with its own: the placeholder pages, and what only they use, as
 * docs/make-it-yours.md lists it. Everything else stays, and its tests run on pages of their own,
 * tests/fixtures.
 */
export const placeholders = {
  /** Files and folders that go. */
  files: steps.filter(({ kind }) => kind === "remove").map(({ file }) => file),
};

/**
 * Takes the placeholders out of a copy of the project.
 *
 * @param {string} folder of the copy
 */
export function removePlaceholders(folder) {
  perform(steps, folder);
}
