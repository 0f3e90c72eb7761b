// Preloaded into a server (`node --import`): on a signal, an exception that nobody catches, in a
// process where only one listener is left that keeps it alive.
process.on("SIGUSR2", () => {
  const listeners = process.listeners("uncaughtException");
  // Next's own come and go with its version. What this app adds comes last.
  for (const listener of listeners.slice(0, -1)) process.off("uncaughtException", listener);
  setTimeout(() => {
    throw new Error("Nobody catches this");
  });
});
