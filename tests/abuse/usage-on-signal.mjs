// Loaded before the server: on SIGUSR2 it writes a line with what the process has used so far.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

let peak = 0;
const look = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
// Not the `maxRSS` of the process, which begins with what its parent has had.
setInterval(look, 50).unref();

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
let spentHere = 0;

process.on("SIGUSR2", () => {
  look();
  const before = cpuMs();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const usage = {
    cpuMs: before - spentHere,
    peakMb: peak / 2 ** 20,
    heldMb: (heapUsed + external) / 2 ** 20,
  };
  spentHere += cpuMs() - before;
  console.log(`usage ${JSON.stringify(usage)}`);
});
