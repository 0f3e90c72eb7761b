const { readFileSync } = require("node:fs");
const { join } = require("node:path");

/**
 * A loader that gives the text of another file of this folder in place of the one that is loaded.
 * https://webpack.js.org/api/loaders/
 */
module.exports = function replace() {
  const file = join(__dirname, this.getOptions().replacement);
  this.addDependency(file);
  return readFileSync(file, "utf8");
};
