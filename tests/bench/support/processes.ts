import { readdirSync, readFileSync } from "node:fs";

/** Of the kernel's user-visible clock: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const ticksPerSecond = 100;

/**
 * Processor time, user and system, of a process with all its threads and descendants, in
 * milliseconds. Linux only.
 */
export function processorTime(pid: number): number {
  return family(pid).reduce((sum, { ticks }) => sum + ticks, 0) * (1000 / ticksPerSecond);
}

/**
 * How long a process's main thread was ready to run and found no processor free, in milliseconds:
 * what the machine's other work takes from it.
 * https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
export function processorWait(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(fields[1]) / 1e6;
}

/** Memory that a process and its descendants hold, in bytes. */
export function residentMemory(pid: number): number {
  const resident = (one: number) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, "utf8"))?.[1] ?? 0) * 1024;
  return family(pid).reduce((sum, member) => sum + resident(member.pid), 0);
}

function family(pid: number) {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? []);
  const found = all.filter((one) => one.pid === pid);
  for (const member of found) found.push(...all.filter(({ parent }) => parent === member.pid));
  return found;
}

function readStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, second, may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch (error) {
    // Processes come and go while the folder is read.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}
