import { expect, test } from "vitest";
import { ARMS } from "../../src/eval/judged/arms.ts";
import { examTokens } from "../../src/eval/judged/exam.ts";
import { type Draw, noisyConversation, toolCall } from "../../src/eval/rules/conversation.ts";
import type { ChatMessage } from "../../src/eval/types.ts";
import { exactCounter } from "../../src/tokens/index.ts";
import { SCRIPTS } from "./facts.ts";

/** Rounds of noise between the facts: each conversation has 15,000 to 30,000 tokens. */
const ROUNDS = { work: 18, talk: 80 } as const;
/** Facts are said within this share of the conversation; what no longer holds, before the half of it. */
const SAID_WITHIN = 0.85;
/** A quarter of the conversation is enough for so many of the facts. */
const FLOOR = 0.9;

test.each(SCRIPTS.map((script, index) => [script.language, script.kind, script.facts, index] as const))(
  "%s, %s: a view of a quarter of the conversation has nearly all that was said",
  async (language, kind, facts, index) => {
    const noise = kind === "work" ? "tool output" : "talk";
    const plan = { language, noise, rounds: ROUNDS[kind], seed: 1_000 + index } as const;
    const messages = noisyConversation(plan, (draw, plant) => {
      for (const [said, , before] of draw.shuffled(facts)) {
        if (before !== undefined) plant(asMessages(before, draw), [0, 0.3]);
        plant(asMessages(said, draw), [before === undefined ? 0 : 0.4, SAID_WITHIN]);
      }
    });
    const exam = { id: language, messages, items: [] };
    const counter = await exactCounter("o200k_base");
    const tokens = examTokens(exam, counter.count);
    expect(tokens).toBeGreaterThan(15_000);
    expect(tokens).toBeLessThan(30_000);
    expect(facts.length).toBe(20);

    const size = Math.floor(tokens / 4);
    const precis = ARMS.find((arm) => arm.id === "precis")!;
    const contextFor = await precis.make({ exam, size, counter, summarizer: undefined as never });
    const view = (await contextFor("")).map((shown) => shown.text).join("\n");
    const known = facts.filter(([said, keys]) => {
      const text = textOf(said);
      expect(messages.some(({ content }) => content.includes(text))).toBe(true);
      return keys.every((key) => text.includes(key) && view.includes(key));
    });
    expect(known.length / facts.length).toBeGreaterThanOrEqual(FLOOR);
  },
);

const textOf = (said: string): string => said.replace(/^[AT]: /, "");

function asMessages(said: string, draw: Draw): ChatMessage[] {
  const content = textOf(said);
  if (said.startsWith("T: ")) return toolCall("bash", '{"command":"make report"}', content, draw);
  return [{ role: said.startsWith("A: ") ? "assistant" : "user", content }];
}
