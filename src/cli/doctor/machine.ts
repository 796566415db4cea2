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
  readonly fix?: string;
}

const SAMPLE = "Hello, world!";
const SAMPLE_TOKENS = 4;

export const checkMachine = (version: string): Promise<Check[]> =>
  Promise.all([checkNode(version), checkSqlite(), checkTokenizer()]);

export function checkNode(version: string): Check {
  const isOld = isTooOld(version);
  return {
    id: "node",
    ok: !isOld,
    needed: true,
    found: `Node ${version.replace(/^v/, "")}`,
    ...(isOld && { fix: `Install Node ${OLDEST_NODE.join(".")} or newer.` }),
  };
}

/** The database that comes with Node; only `precis serve` keeps anything in it. */
export async function checkSqlite(
  load: () => Promise<typeof import("node:sqlite")> = () => import("node:sqlite"),
): Promise<Check> {
  const check = { id: "sqlite", needed: false } as const;
  try {
    const { DatabaseSync } = await load();
    const db = new DatabaseSync(":memory:");
    const row = db.prepare("SELECT sqlite_version() AS version").get();
    db.close();
    return { ...check, ok: true, found: `SQLite ${String(row?.["version"])}, part of Node` };
  } catch {
    const fix = "Use Node 22.13 or newer, or give precis serve a postgres:// address.";
    return { ...check, ok: false, found: "no SQLite in this Node", fix };
  }
}

/** Loads the vocabulary and counts something whose count is known. */
async function checkTokenizer(): Promise<Check> {
  const check = { id: "tokenizer", needed: true } as const;
  const start = performance.now();
  try {
    const tokens = (await exactCounter("o200k_base")).count(SAMPLE);
    if (tokens !== SAMPLE_TOKENS) throw new Error(`${tokens} tokens instead of ${SAMPLE_TOKENS}`);
    const ms = Math.round(performance.now() - start);
    return { ...check, ok: true, found: `tokenizer o200k_base, loaded in ${ms} ms` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const fix = "Install precis again: a file of the package is missing or damaged.";
    return { ...check, ok: false, found: `the tokenizer doesn't work (${why})`, fix };
  }
}
