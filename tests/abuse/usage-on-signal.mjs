// Loaded before the server: on SIGUSR2 it writes a line with what the process has used so far.
let peak = 0;
const look = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
// Not the `maxRSS` of the process, which begins with what its parent has had.
setInterval(look, 50).unref();

process.on("SIGUSR2", () => {
  look();
  const { user, system } = process.cpuUsage();
  const usage = { cpuMs: (user + system) / 1000, peakMb: peak / 2 ** 20 };
  console.log(`usage ${JSON.stringify(usage)}`);
});
