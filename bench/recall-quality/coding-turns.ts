import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openaiChat } from "../../src/apis/index.ts";
import type { TokenCounter } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { isAgentSession, parseAgentSession } from "../../src/eval/data/sessions.ts";
import { readRecords } from "../../src/eval/node/data-files.ts";
import type { ChatMessage } from "../../src/eval/types.ts";
import { profiles } from "../../src/profiles/index.ts";
import { readQuery } from "../../src/recall/rank.ts";
import { termsOf } from "../../src/recall/terms.ts";

/** Every so many sessions, and turns of each at most. */
const EVERY = 3;
const MOST_TURNS = 4;
/** Turns with fewer messages before them, or with fewer or more tokens, aren't looked at. */
const LEAST_MESSAGES = 40;
const TOKENS = [8_000, 200_000] as const;
/** The budget as a share of what came before a turn, and what its view leaves free for what is recalled. */
const SHARE = 0.25;
const VIEW_SHARE = 0.9;
/** Shorter lines come again by chance (characters). */
const LEAST_LINE = 24;

/**
 * What automatic recall quotes when a person goes on with a coding session: how many quotations share no word with what the person
 * wrote, and how many lines stand in two quotations for one message.
 */
export async function codingTurns(folder: string, counter: TokenCounter) {
  if (!existsSync(folder)) return "not there";
  const told = { turns: 0, turnsWithRecall: 0, quotations: 0, sharingNothing: 0, lines: 0, repeatedLines: 0 };
  const files = readdirSync(folder).sort();
  for (const file of files.filter((_, at) => at % EVERY === 0))
    for (const record of readRecords(join(folder, file)).filter(isAgentSession)) {
      const { messages, people } = parseAgentSession(record);
      for (const at of spread(people.filter((place) => place > LEAST_MESSAGES))) {
        const past = messages.slice(0, at);
        const total = past.reduce((sum, message) => sum + tokensOf(message, counter), 0);
        if (total < TOKENS[0] || total > TOKENS[1]) continue;
        const quoted = await quotedFor([...past, messages[at]!], Math.floor(total * SHARE), counter);
        const asked = new Set(readQuery(messages[at]!.content).terms);
        told.turns++;
        if (quoted.length > 0) told.turnsWithRecall++;
        told.quotations += quoted.length;
        told.sharingNothing += quoted.filter((text) => !termsOf(text).some((term) => asked.has(term))).length;
        const lines = quoted.flatMap(linesOf);
        told.lines += lines.length;
        told.repeatedLines += lines.length - new Set(lines).size;
      }
    }
  return told;
}

async function quotedFor(
  messages: readonly ChatMessage[],
  budget: number,
  counter: TokenCounter,
): Promise<readonly string[]> {
  const compactor = createCompactor({
    dialect: openaiChat,
    counter,
    budget,
    profile: profiles.agent,
    auto: false,
  });
  const { state } = await compactor.compact(messages.slice(0, -1), {
    budget: Math.floor(budget * VIEW_SHARE),
    adopt: true,
    now: 0,
  });
  const { report } = await compactor.fit([...messages], { state, now: 1 });
  await compactor.close();
  return report.recalled.map(({ text }) => text);
}

function spread(places: readonly number[]): readonly number[] {
  const step = Math.max(1, Math.floor(places.length / MOST_TURNS));
  return places.filter((_, nth) => nth % step === 0).slice(0, MOST_TURNS);
}

function tokensOf({ content, tool_calls }: ChatMessage, counter: TokenCounter): number {
  return counter.count(content) + counter.count(JSON.stringify(tool_calls ?? "")) + 4;
}

/** The lines of a quotation, each once, without what marks a list or a cut. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n").map((line) =>
    line
      .replace(/^[\s…\-*#\d.]+/, "")
      .replace(/\s…$/, "")
      .trim(),
  );
  return [...new Set(lines.filter((line) => line.length >= LEAST_LINE))];
}
