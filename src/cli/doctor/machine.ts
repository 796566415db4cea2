import { exactCounter } from "../../tokens/exact-counter.ts";
import { isTooOld, OLDEST_NODE } from "../check-node.ts";

/** One thing that precis needs, and whether this machine has it. */
export interface Check {
  readonly id: "node" | "sqlite" | "tokenizer";
  readonly ok: boolean;
  /** Whether precis can't run at all if it is missing. */
  readonly needed: boolean;
  /** What was found, in a few words. */
  readonly found: string;
  /** What to do, if it isn't all right. */
  readonly fix: string | undefined;
}

const SAMPLE = "Hello, world!";
const SAMPLE_TOKENS = 4;

export function checkMachine(version: string): Promise<Check[]> {
  return Promise.all([checkNode(version), checkSqlite(), checkTokenizer()]);
}

export function checkNode(version: string): Check {
  const ok = !isTooOld(version);
  return {
    id: "node",
    ok,
    needed: true,
    found: `Node ${version.replace(/^v/, "")}`,
    fix: ok ? undefined : `Install Node ${OLDEST_NODE.join(".")} or newer.`,
  };
}

/** The database that comes with Node; only `precis serve` keeps anything in it. */
export async function checkSqlite(
  load: () => Promise<typeof import("node:sqlite")> = loadSqlite,
): Promise<Check> {
  try {
    const { DatabaseSync } = await load();
    const db = new DatabaseSync(":memory:");
    const row = db.prepare("SELECT sqlite_version() AS version").get();
    db.close();
    return {
      id: "sqlite",
      ok: true,
      needed: false,
      found: `SQLite ${String(row?.["version"])}, part of Node`,
      fix: undefined,
    };
  } catch {
    return {
      id: "sqlite",
      ok: false,
      needed: false,
      found: "no SQLite in this Node",
      fix: "Use Node 22.13 or newer, or give precis serve a postgres:// address.",
    };
  }
}

const loadSqlite = (): Promise<typeof import("node:sqlite")> => import("node:sqlite");

/** Loads the vocabulary and counts something whose count is known. */
async function checkTokenizer(): Promise<Check> {
  const start = performance.now();
  try {
    const counter = await exactCounter("o200k_base");
    const tokens = counter.count(SAMPLE);
    if (tokens !== SAMPLE_TOKENS) throw new Error(`${tokens} tokens instead of ${SAMPLE_TOKENS}`);
    const ms = Math.round(performance.now() - start);
    return {
      id: "tokenizer",
      ok: true,
      needed: true,
      found: `tokenizer o200k_base, loaded in ${ms} ms`,
      fix: undefined,
    };
  } catch (error) {
    return {
      id: "tokenizer",
      ok: false,
      needed: true,
      found: `the tokenizer doesn't work (${error instanceof Error ? error.message : String(error)})`,
      fix: "Install precis again: a file of the package is missing or damaged.",
    };
  }
}
