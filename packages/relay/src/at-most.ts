/** Waits for the work, but not longer than so many milliseconds. Rejects if the work does by then. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}
