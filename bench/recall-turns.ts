/**
 * What recall costs a conversation, turn by turn: tokens and processor time of automatic recall beside the same turns without it, and
 * of the tool that the model calls.
 *
 *   node bench/recall-turns.ts
 *
 * TURNS changes how long it takes.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { type ChatMessage, openaiChat } from "../src/apis/index.ts";
import { createCompactor } from "../src/engine/create-compactor.ts";
import { profiles } from "../src/profiles/index.ts";
import { compactTool, recallTool } from "../src/recall/index.ts";
import { chat } from "../src/testing/index.ts";
import { makeTranscript, roundsFor } from "./support/make-transcript.ts";
import { median, round, time } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const TOKENS = 200_000;
const WINDOW = 128_000;
const BUDGET = 100_000;
const TURNS = Number(process.env["TURNS"] ?? 60);
/** One turn in three asks for something that was read long ago, one goes on, one asks for something new. */
const KINDS = ["asks", "goes on", "new work"] as const;
type Kind = (typeof KINDS)[number];

const transcript = makeTranscript(roundsFor(TOKENS));
const results = transcript.filter(({ role }) => role === "tool");

/** A name in the n-th of the results that are far behind, which hardly any other holds. */
function nameIn(n: number): string {
  const { content } = results[(n * 7) % Math.floor(results.length / 2)]!;
  const names = String(content).match(/\b[a-z]+(?:[A-Z][a-z]+){2,}\b/g) ?? ["transcript"];
  return names.sort((a, b) => b.length - a.length)[0]!;
}

function said(turn: number): { readonly kind: Kind; readonly text: string } {
  const kind = KINDS[turn % KINDS.length]!;
  if (kind === "goes on") return { kind, text: "Thanks, go on." };
  if (kind === "new work") return { kind, text: `Now write a limerick about the number ${turn * 37}.` };
  return { kind, text: `What was it that we read about ${nameIn(turn)}?` };
}

function compactorWith(auto: boolean) {
  return createCompactor({
    dialect: openaiChat,
    window: WINDOW,
    budget: BUDGET,
    profile: profiles.agent,
    recall: { auto },
  });
}

interface Turn {
  readonly kind: Kind;
  readonly ms: number;
  /** Tokens that were quoted for it. */
  readonly quoted: number;
}

/** All turns of one conversation, one after the other, as a host has them. */
async function converse(auto: boolean): Promise<{ readonly first: number; readonly turns: readonly Turn[] }> {
  const compactor = compactorWith(auto);
  const messages: ChatMessage[] = [...transcript];
  let state: unknown;
  await compactor.fit(messages);
  // The turn that hides something for the first time, and the one after it, in which the index is made.
  ({ state } = await compactor.compact(messages));
  let first = 0;
  const turns: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const { kind, text } = said(turn);
    messages.push(chat.user(text));
    let texts: readonly string[] = [];
    const ms = await time(async () => {
      const fitted = await compactor.fit(messages, { state });
      state = fitted.state;
      texts = fitted.report.recalled.map((one) => one.text);
    });
    const quoted = texts.reduce((sum, one) => sum + countTokens(one), 0);
    messages.push(chat.assistant(`That was part ${turn}.`));
    if (turn === 0) first = ms;
    else turns.push({ kind, ms, quoted });
  }
  await compactor.close();
  return { first, turns };
}

/** What the tool's calls cost: its definition in every request, and one answer. */
async function callTool() {
  const compactor = compactorWith(true);
  const recall = recallTool(compactor);
  const compact = compactTool(compactor);
  await compactor.fit(transcript);
  const { report } = await compactor.compact(transcript);
  const definition = async (tools: readonly object[]): Promise<number> =>
    (await compactor.pressure(transcript, { tools })).budget.tools;
  const calls: { readonly ms: number; readonly tokens: number }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    let answer = "";
    const ms = await time(async () => {
      answer = await recall.execute({ query: nameIn(turn) }, { transcript });
    });
    calls.push({ ms, tokens: countTokens(answer) });
  }
  const [first, ...later] = calls;
  const result = {
    definitionTokens: {
      recall: await definition([recall.openaiChat]),
      recallAndCompact: await definition([recall.openaiChat, compact.openaiChat]),
    },
    viewTokens: report.tokens.after,
    answerTokens: { median: median(later.map(({ tokens }) => tokens)), most: most(later, "tokens") },
    firstCallMs: round(first!.ms, 0),
    callMs: round(median(later.map(({ ms }) => ms)), 1),
  };
  await compactor.close();
  return result;
}

function most<T extends Readonly<Record<K, number>>, K extends string>(list: readonly T[], field: K): number {
  return list.reduce((largest, one) => Math.max(largest, one[field]), 0);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** What some turns took with automatic recall, beside the same ones without it. */
function compared(withIt: readonly Turn[], without: readonly Turn[], isMeant: (turn: Turn) => boolean) {
  const places = withIt.flatMap((turn, at) => (isMeant(turn) ? [at] : []));
  const meant = places.map((at) => withIt[at]!);
  return {
    turns: meant.length,
    tokens: { mean: round(mean(meant.map(({ quoted }) => quoted)), 0), most: most(meant, "quoted") },
    ms: round(median(meant.map(({ ms }) => ms)), 1),
    msWithout: round(median(places.map((at) => without[at]!.ms)), 1),
  };
}

// The first conversation of a process pays for code that isn't compiled yet.
await converse(true);
await converse(false);
const withIt = await converse(true);
const without = await converse(false);
const turnsWhere = (isMeant: (turn: Turn) => boolean) => compared(withIt.turns, without.turns, isMeant);
writeResult({
  transcriptTokens: TOKENS,
  budget: BUDGET,
  automatic: {
    all: turnsWhere(() => true),
    quoting: turnsWhere(({ quoted }) => quoted > 0),
    asking: turnsWhere(({ kind }) => kind === "asks"),
    goingOn: turnsWhere(({ kind }) => kind === "goes on"),
    newWork: turnsWhere(({ kind }) => kind === "new work"),
    firstTurnMs: { with: round(withIt.first, 0), without: round(without.first, 0) },
  },
  tool: await callTool(),
});
