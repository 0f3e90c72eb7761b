import { loadavg } from "node:os";

const benches = {
  bytes: "first-load JavaScript and HTML of every page",
  server: "processor time per server-rendered request",
  relay: "processor time per envelope, memory and waiting while the service is dead",
  soak: "a minute of everything at once; takes a number of seconds",
  lighthouse: "the four scores on a phone; takes how often; fetches lighthouse from npm's registry",
};

const [name = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(benches, name)) {
  console.error("Usage: npm run bench -- <one of these>\n");
  for (const [key, what] of Object.entries(benches)) console.error(`  ${key.padEnd(12)}${what}`);
  process.exit(1);
}
const begin = performance.now();
const { [name]: run } = await import(`./${name}.js`);
await run(...args);
const load = loadavg()
  .map((n) => n.toFixed(1))
  .join(", ");
console.log(`\n${((performance.now() - begin) / 1000).toFixed(0)} s, load average ${load}`);
process.exit();
