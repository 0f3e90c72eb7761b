import { loadavg } from "node:os";

const benches: Record<string, string> = {
  bytes: "first-load JavaScript and HTML",
  server: "processor time per server-rendered request",
  relay: "processor time per envelope, memory and waiting while the service is dead",
  inbox: "processor time of the inbox's pages with 10,000 and 100,000 errors",
  soak: "a minute of everything at once; takes a number of seconds",
  lighthouse: "the four scores on a phone; takes how often; fetches lighthouse from npm's registry",
};

// Each server that it starts is ended with it.
process.setMaxListeners(100);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
const [name = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(benches, name)) {
  console.error("Usage: npm run bench -- <one of these>\n");
  for (const [key, what] of Object.entries(benches)) console.error(`  ${key.padEnd(12)}${what}`);
  process.exit(1);
}
const begin = performance.now();
await (await import(`./${name}.ts`))[name](...args);
const load = loadavg().map((n) => n.toFixed(1));
const seconds = ((performance.now() - begin) / 1000).toFixed(0);
console.log(`\n${seconds} s, load average ${load.join(", ")}\n`);
process.exit();
