import type { CompactorOptions, FitInput } from "../../src/core/types.ts";
import { counterOf } from "./count.ts";
import { BUILDERS, dialectOf } from "./dialects.ts";
import { createHost } from "./host.ts";

/** An agent that calls tools for a long time. */
export interface ToolLoop {
  readonly dialect?: string;
  readonly options: Partial<CompactorOptions<object>>;
  readonly rounds: number;
  /** Tokens of the system prompt, about. */
  readonly system?: number;
  /** Tokens of each parallel result of a round, about. */
  readonly results: (round: number) => readonly number[];
  /** What the user says after the results of a round, before the model has answered them. */
  readonly says?: (round: number) => string | undefined;
  readonly input?: FitInput<object>;
}

/** What became of the loop's requests. */
export interface LoopOutcome {
  readonly requests: number;
  readonly compactions: number;
  /** Requests whose newest round fits the budget beside head and last user message, and isn't whole all the same. */
  readonly cutThoughItFits: readonly number[];
  /** Requests whose newest round isn't whole, whether it fits or not. */
  readonly cut: readonly number[];
  /** Tokens of the budget that those views left unused. */
  readonly unused: readonly number[];
  /** Requests that changed something before the end of the last view without a compaction. */
  readonly unstable: readonly number[];
  /** Most compactions in a row. */
  readonly inARow: number;
}

/** A line of a source file takes about this many tokens. */
const TOKENS_PER_LINE = 30;
const RULE = "Rule of the house: always be careful with what you change. ";
const TOKENS_PER_RULE = 13;

/** A file of about this many tokens; no two lines of a loop are the same. */
export function sourceFile(name: string, tokens: number): string {
  return Array.from(
    { length: Math.max(1, Math.round(tokens / TOKENS_PER_LINE)) },
    (_, line) =>
      `export const value_${line} = compute("src/${name}.ts", ${line * 31}, "${name}-${line * 7}");`,
  ).join("\n");
}

/** Plays a loop request by request, as a host that keeps its state, and looks at the newest round of each view. */
export async function playLoop(loop: ToolLoop): Promise<LoopOutcome> {
  const { dialect: id = "openai-chat", options, rounds } = loop;
  const build = BUILDERS[id]!;
  const dialect = dialectOf(id);
  const count = counterOf(dialect);
  const prompt = RULE.repeat(Math.max(1, Math.round((loop.system ?? 0) / TOKENS_PER_RULE)));
  const isSystemApart = dialect.rules.system === "apart";
  const host = createHost({ id, ...options }, isSystemApart ? [] : [build.system(prompt)]);
  const input = { ...loop.input, ...(isSystemApart && { system: prompt }) };
  const head = count(build.system(prompt));
  let lastUser: object = build.user("Read the files and tell me which of them are wrong.");
  host.transcript.push(lastUser);
  const cut: number[] = [];
  const unused: number[] = [];
  const cutThoughItFits: number[] = [];
  const unstable: number[] = [];
  let compactions = 0;
  let row = 0;
  let inARow = 0;
  let before: readonly object[] = [];
  for (let round = 0; round < rounds; round++) {
    const newest = roundOf(build, round, loop.results(round));
    const words = loop.says?.(round);
    if (words !== undefined) {
      lastUser = build.user(words);
      newest.push(lastUser);
    }
    host.transcript.push(...newest);
    const { messages, report } = await host.fit(input);
    const isWhole = newest.every((message, at) => messages.at(at - newest.length) === message);
    if (!isWhole) {
      cut.push(round);
      unused.push(report.budget.budget - report.tokens.after);
      const beside = head + (words === undefined ? count(lastUser) : 0);
      const needed = newest.reduce((sum, message) => sum + count(message), beside);
      if (needed <= report.budget.budget) cutThoughItFits.push(round);
    }
    if (report.outcome === "compacted") {
      compactions++;
      row++;
    } else {
      row = 0;
      if (before.some((message, at) => JSON.stringify(messages[at]) !== JSON.stringify(message)))
        unstable.push(round);
    }
    inARow = Math.max(inARow, row);
    before = messages;
  }
  await host.close();
  return { requests: rounds, compactions, cutThoughItFits, cut, unused, unstable, inARow };
}

function roundOf(build: (typeof BUILDERS)[string], round: number, sizes: readonly number[]): object[] {
  const calls = sizes.map((_, at) => ({
    id: `call_${round}_${at}`,
    name: "read_file",
    args: { path: `src/part-${round}-${at}.ts` },
  }));
  const results = sizes.map((size, at) => ({
    id: `call_${round}_${at}`,
    name: "read_file",
    text: sourceFile(`part-${round}-${at}`, size),
  }));
  return [...build.calls(calls), ...build.results(results)];
}
