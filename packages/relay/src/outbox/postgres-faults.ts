import { isOutboxError, OutboxError, type OutboxFault } from "./driver.ts";

/** What goes wrong with TLS, by Node's code or the words of `pg` and Postgres. */
const tlsFaults: [isIt: (code: string, text: string) => boolean, sentence: string][] = [
  [
    (_, text) => text.includes("does not support SSL"),
    "The database has no TLS, and its URL asks for it by sslmode.",
  ],
  [
    (_, text) => text.includes("no pg_hba.conf entry") && /no encryption|SSL off/.test(text),
    "The database asks for TLS: its URL needs an sslmode, such as verify-full.",
  ],
  [
    (code) => /CERT|LEAF_SIGNATURE|HOSTNAME_MISMATCH|INVALID_CA/.test(code),
    "The database's TLS certificate can't be verified: see sslmode and sslrootcert in its URL.",
  ],
  [
    (code, text) =>
      /^(EPROTO$|ERR_SSL_|ERR_OSSL_|ERR_TLS_)/.test(code) || text.includes("an SSL connection"),
    "The TLS connection to the database can't be made.",
  ],
];

/** Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const faults: [codes: RegExp, fault: OutboxFault, sentence: string][] = [
  // A value that a column can't hold, or that breaks one of its rules.
  [/^2[23]/, "malformed", "The report can't be stored."],
  [/^28/, "unwritable", "The database refuses the user or the password in its URL."],
  [/^3D000$/, "unwritable", "The database named in the URL does not exist."],
  [/^25006$/, "unwritable", "The database is read-only."],
  [/^42501$/, "unwritable", "The database role lacks rights on the outbox's tables."],
  [/^53100$/, "full", "The database's disk is full."],
  [/^53/, "busy", "The database has no connection or memory left."],
  [/^(55P03|57014|40001|40P01)$/, "busy", "The database is blocked for too long."],
];

/** What `pg` throws when one of its own time limits ends. */
const timeouts = /^(Query read timeout|timeout exceeded when trying to connect|timeout expired)$/;

/** The SQLSTATE, or Node's code of a network error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Whether the same transaction may succeed if it is run again at once. */
export function isConflict(error: unknown): boolean {
  return /^40(001|P01)$/.test(codeOf(error));
}

/** Whether the tables are not as they were when they were last checked. */
export function isSchemaFault(error: unknown): boolean {
  return /^(42P01|42703|3F000)$/.test(codeOf(error));
}

/** @param password must not appear in the error, whose message anybody may read */
export function toOutboxError(error: unknown, password: string): OutboxError {
  if (isOutboxError(error)) return error;
  const code = codeOf(error);
  const shown = withoutPassword(error, password);
  const cause = { cause: shown };
  for (const [isIt, sentence] of tlsFaults) {
    if (isIt(code, shown.message)) return new OutboxError("unwritable", sentence, cause);
  }
  for (const [codes, fault, sentence] of faults) {
    if (codes.test(code)) return new OutboxError(fault, sentence, cause);
  }
  if (error instanceof Error && timeouts.test(error.message)) {
    return new OutboxError("busy", "The database takes too long.", cause);
  }
  // Each has a digit, which Node's EPIPE has not.
  const isSql = /^(?=.*\d)[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
  const sentence = isSql ? "The database refuses the outbox." : "The database can't be reached.";
  return new OutboxError("unwritable", sentence, cause);
}

function withoutPassword(error: unknown, password: string): Error {
  const text = error instanceof Error ? error.message : String(error);
  const shown = password ? text.replaceAll(password, "…") : text;
  const code = codeOf(error);
  // Node gives an empty message if several addresses were tried.
  return new Error([code, shown].filter(Boolean).join(": "));
}
