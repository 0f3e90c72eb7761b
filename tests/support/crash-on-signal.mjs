// Preloaded into a server (`node --import`) by the tests of what happens when something fails that
// no request is to blame for.
process.on("SIGUSR2", () => {
  // Registered last, so it comes after whatever reports the error: the hardest end there is.
  process.on("uncaughtException", () => process.kill(process.pid, "SIGKILL"));
  setTimeout(() => {
    throw new Error("Nobody catches this");
  });
});
process.on("SIGHUP", () => {
  Promise.reject(new Error("Nobody awaits this"));
});
