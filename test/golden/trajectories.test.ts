import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readLog } from "../../src/apis/logs/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { checkView } from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { dialectOf } from "../support/dialects.ts";

/**
 * Whole example sessions, message by message, against the token counts that were seen last time. A change of behaviour
 * shows as a change of numbers: look at it, then run with `PRECIS_UPDATE_GOLDEN=1`.
 */
const EXAMPLES = new URL("../../examples/", import.meta.url);
const GOLDEN = new URL("./", import.meta.url);
const UPDATE = process.env["PRECIS_UPDATE_GOLDEN"] === "1";
const WINDOWS = [16_000, 64_000];
const START = 1_700_000_000_000;

interface Trajectory {
  readonly messages: number;
  readonly tokens: number;
  /** Message count, tokens before and tokens after, for each compaction. */
  readonly compactions: readonly (readonly [number, number, number])[];
  /** Tokens of the view at every tenth of the session. */
  readonly view: readonly number[];
}

/** A recorded stream is no conversation: it has frames. */
const isConversation = (file: string): boolean =>
  !/"role": ?"frames"/.test(readFileSync(new URL(file, EXAMPLES), "utf8"));
const sessions = readdirSync(EXAMPLES).filter((file) => /\.jsonl?$/.test(file) && isConversation(file));

async function replay(file: string, window: number): Promise<Trajectory> {
  const log = readLog(readFileSync(new URL(file, EXAMPLES), "utf8"), { name: file });
  const dialect = dialectOf(log.dialect);
  const count = counterOf(dialect);
  const compactor = createCompactor<object>({ dialect, window });
  const messages = log.messages as readonly object[];
  const compactions: [number, number, number][] = [];
  const tenths = new Set(Array.from({ length: 10 }, (_, at) => Math.ceil((messages.length * (at + 1)) / 10)));
  const view: number[] = [];
  let state: unknown;
  let tokens = 0;
  for (let length = 1; length <= messages.length; length++) {
    const transcript = messages.slice(0, length);
    const system = log.system === undefined ? {} : { system: log.system };
    const result = await compactor.fit(transcript, { state, now: START, lastRequestAt: START, ...system });
    const { report } = result;
    if (report.outcome === "compacted" || tenths.has(length))
      expect(checkView({ dialect: log.dialect, transcript, ...system, result, count })).toEqual([]);
    if (report.outcome === "compacted") compactions.push([length, report.tokens.before, report.tokens.after]);
    if (tenths.has(length)) view.push(report.tokens.after);
    state = result.state;
    tokens = report.tokens.transcript;
  }
  await compactor.close();
  return { messages: messages.length, tokens, compactions, view };
}

describe.each(sessions)("%s", (file) => {
  it.each(WINDOWS)("window %d: the same token trajectory as before", async (window) => {
    const trajectory = await replay(file, window);
    const golden = new URL(`${file.replace(/\.jsonl?$/, "")}-${window / 1_000}k.json`, GOLDEN);
    if (UPDATE) writeFileSync(golden, `${JSON.stringify(trajectory)}\n`);
    expect(trajectory).toEqual(JSON.parse(readFileSync(golden, "utf8")));
  });
});
