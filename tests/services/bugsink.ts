import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../support/free-port.js";
import { fromPypi } from "./installed.ts";
import { type Running, runProgram, startProgram, until, untilItAnswers } from "./processes.ts";

const bugsinkVersion = "2.6.1";

/** An event as Bugsink keeps it: titles are worked out by Bugsink. */
export interface BugsinkEvent {
  /** 32 hex digits, as it was sent. */
  eventId: string;
  issue: string;
  title: string;
  transaction: string;
}

/** Bugsink, with two projects, all that it writes in a temporary folder. */
export interface Bugsink {
  /** Of the projects 1 and 2. */
  dsns: [string, string];
  /** Of a project, in the order of arrival. */
  events: (project: 1 | 2) => BugsinkEvent[];
  /** Waits until nothing that was accepted waits to be read. */
  settled: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Other than in its own template: work in the background, and no word to its makers. */
const settings = `
SNAPPEA = {"TASK_ALWAYS_EAGER": False, "NUM_WORKERS": 2, "WAKEUP_CALLS_DIR": "wakeup", "PID_FILE": None}
BUGSINK["PHONEHOME"] = False
`;

/** Run in Bugsink's own shell. */
const makeProjects = `
from projects.models import Project
for name in ["all", "direct"]:
    print("DSN", Project.objects.create(name=name).dsn)
`;

/**
 * Starts Bugsink: gunicorn, and Snappea for what it does in the background.
 * https://www.bugsink.com/docs/singleserver-manual/
 *
 * @throws {import("./installed.ts").Unavailable}
 */
export async function startBugsink(): Promise<Bugsink> {
  const programs = fromPypi(`bugsink==${bugsinkVersion}`);
  const folder = mkdtempSync(join(tmpdir(), "signpost-bugsink-"));
  const port = await freePort();
  const host = ["--host=127.0.0.1", `--port=${port}`];
  const options = {
    cwd: folder,
    env: { DJANGO_SETTINGS_MODULE: "bugsink_conf", PYTHONPATH: folder },
  };
  const run = (name: string, ...args: string[]) => runProgram(join(programs, name), args, options);
  run("bugsink-create-conf", "--template=local", ...host);
  appendFileSync(join(folder, "bugsink_conf.py"), settings);
  copyDatabases(folder, join(dirname(programs), "databases"), () => {
    run("bugsink-manage", "migrate");
    run("bugsink-manage", "migrate", "snappea", "--database=snappea");
  });
  const said = run("bugsink-manage", "shell", "-c", makeProjects);
  const dsns = [...said.matchAll(/^DSN (.*)$/gm)].map(([, dsn]) => dsn) as [string, string];
  const url = `http://127.0.0.1:${port}`;
  const serve = ["--bind", `127.0.0.1:${port}`, "--workers=2", "bugsink.wsgi"];
  const web = startProgram(join(programs, "gunicorn"), serve, options);
  const background = startProgram(join(programs, "bugsink-runsnappea"), [], options);
  await untilItAnswers(web, `${url}/health/ready`);
  return {
    dsns,
    events: (project) => eventsIn(join(folder, "db.sqlite3"), project),
    settled: () => until("Bugsink has read everything", () => waitingTasks(folder) === 0),
    stop: () => stopAll([web, background], folder),
  };
}

/** Making the tables takes longest, so they are kept. */
function copyDatabases(folder: string, kept: string, make: () => void): void {
  if (!existsSync(kept)) {
    make();
    mkdirSync(`${kept}-new`, { recursive: true });
    for (const name of ["db.sqlite3", "snappea.sqlite3"]) {
      cpSync(join(folder, name), join(`${kept}-new`, name));
    }
    renameSync(`${kept}-new`, kept);
  } else cpSync(kept, folder, { recursive: true });
}

function eventsIn(file: string, project: number): BugsinkEvent[] {
  const rows = query<{
    event_id: string;
    issue_id: string;
    type: string;
    value: string;
    transaction: string;
  }>(
    file,
    `select event_id, issue_id, calculated_type as type, calculated_value as value, "transaction"
     from events_event where project_id = ${project} order by digested_at`,
  );
  return rows.map(({ event_id, issue_id, type, value, transaction }) => ({
    eventId: event_id.replaceAll("-", ""),
    issue: issue_id,
    // As Bugsink shows it, without the lines after the first.
    title: value ? `${type}: ${value.split("\n")[0]}` : type,
    transaction,
  }));
}

const waitingTasks = (folder: string) =>
  query<{ n: number }>(join(folder, "snappea.sqlite3"), "select count(*) as n from snappea_task")[0]
    ?.n;

function query<T>(file: string, sql: string): T[] {
  // Bugsink locks readers out while it writes.
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  try {
    return database.prepare(sql).all() as T[];
  } finally {
    database.close();
  }
}

async function stopAll(programs: Running[], folder: string): Promise<void> {
  await Promise.all(programs.map((program) => program.stop()));
  rmSync(folder, { recursive: true, force: true });
}
