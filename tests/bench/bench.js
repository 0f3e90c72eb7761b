import { loadavg } from "node:os";

const benches = {
  bytes: "first-load JavaScript and HTML of every page",
  server: "processor time per server-rendered request",
  relay: "processor time per envelope, memory and waiting while the service is dead",
  inbox: "processor time of the inbox's pages with 10,000 and 100,000 errors",
  soak: "a minute of everything at once; takes a number of seconds",
  lighthouse: "the four scores on a phone; takes how often; fetches lighthouse from npm's registry",
};

const asked = grouped(process.argv.slice(2));
if (asked.length === 0 || asked.some(({ name }) => !Object.hasOwn(benches, name))) {
  console.error("Usage: npm run bench -- <one of these, or several>\n");
  for (const [key, what] of Object.entries(benches)) console.error(`  ${key.padEnd(12)}${what}`);
  process.exit(1);
}
for (const { name, args } of asked) {
  const begin = performance.now();
  const { [name]: run } = await import(`./${name}.js`);
  await run(...args);
  const load = loadavg()
    .map((n) => n.toFixed(1))
    .join(", ");
  console.log(`\n${((performance.now() - begin) / 1000).toFixed(0)} s, load average ${load}\n`);
}
process.exit();

/**
 * @param {string[]} words names, each with the numbers it takes behind it
 * @returns {{ name: string, args: string[] }[]}
 */
function grouped(words) {
  /** @type {{ name: string, args: string[] }[]} */
  const groups = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last && /^\d+$/.test(word)) last.args.push(word);
    else groups.push({ name: word, args: [] });
  }
  return groups;
}
