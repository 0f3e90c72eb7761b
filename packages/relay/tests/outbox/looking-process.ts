import { Processes } from "@/packages/relay/src/outbox/sqlite-processes";

/*
 * A process that looks for others that have died, over and over, until it is killed. See `bundleProcess`.
 *
 *   node looking-process.js <file>
 */

const [, , file = ""] = process.argv;
const processes = new Processes(file, "looking");
processes.enter();
process.stdout.write("looking\n");
for (;;) processes.ended();
