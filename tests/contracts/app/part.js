/** Loaded by `import()`, so that the build has a chunk that is not there from the start. */
export const part = "part";
