/**
 * What a package for Node finds as `process` in the browser, where it asks for it: React does. It is
 * the one that comes with Next, https://github.com/defunctzombie/node-process, in half its size, of which
 * each page's first load has 0.5 kB less (gzip).
 */
const noop = () => {};

/** @param {string} name */
const refuse = (name) => () => {
  throw new Error(`process.${name} is not supported`);
};

/** @type {(() => void)[]} */
const waiting = [];

function drain() {
  try {
    while (waiting[0]) waiting.shift()?.();
  } finally {
    // One has thrown. The others run all the same.
    if (waiting[0]) setTimeout(drain);
  }
}

const ofEvents = [
  "on",
  "addListener",
  "once",
  "off",
  "removeListener",
  "removeAllListeners",
  "emit",
  "prependListener",
  "prependOnceListener",
];

module.exports = {
  ...Object.fromEntries(ofEvents.map((name) => [name, noop])),
  title: "browser",
  browser: true,
  env: {},
  argv: [],
  version: "",
  versions: {},
  /** @type {(run: (...args: unknown[]) => void, ...args: unknown[]) => void} */
  nextTick(run, ...args) {
    if (waiting.push(() => run(...args)) === 1) setTimeout(drain);
  },
  listeners: () => [],
  cwd: () => "/",
  umask: () => 0,
  binding: refuse("binding"),
  chdir: refuse("chdir"),
};
