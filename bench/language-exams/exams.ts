import { type Draw, noisyConversation, toolCall } from "../../src/eval/rules/conversation.ts";
import type { ChatMessage } from "../../src/eval/types.ts";
import { type ExamScript, type Fact, SCRIPTS } from "./facts.ts";

/** An exam, and the conversation that it asks about: two files for `precis eval judged`. */
export interface LanguageExam {
  readonly id: string;
  readonly messages: readonly ChatMessage[];
  readonly facts: readonly Fact[];
  /** What stands in the files, by their names. */
  readonly files: Readonly<Record<string, string>>;
}

/** Rounds of noise between the facts: each conversation has 15,000 to 30,000 tokens. */
const ROUNDS = { work: 18, talk: 80 } as const;
/** Facts are said within this share of the conversation; what no longer holds, before the half of it. */
const SAID_WITHIN = 0.85;

/** Each script once, the same on every machine. */
export function languageExams(seed = 1): LanguageExam[] {
  return SCRIPTS.map((script, index) => examOf(script, seed * 1_000 + index));
}

function examOf({ language, kind, facts }: ExamScript, seed: number): LanguageExam {
  const noise = kind === "work" ? "tool output" : "talk";
  const messages = noisyConversation({ language, noise, rounds: ROUNDS[kind], seed }, (draw, plant) => {
    for (const { said, before } of draw.shuffled(facts)) {
      if (before !== undefined) plant(asMessages(before, draw), [0, 0.3]);
      plant(asMessages(said, draw), [before === undefined ? 0 : 0.4, SAID_WITHIN]);
    }
  });
  const id = `${language}-${kind}`;
  const items = facts.map(({ type, question, keys, said }, n) => ({
    n,
    type,
    q: question,
    expected: withoutSpeaker(said),
    rubric: keys.map((key) => `Says: ${key}`),
  }));
  const session = `${id}-session.json`;
  const files = {
    [session]: JSON.stringify(messages),
    [`${id}.json`]: JSON.stringify({ session, items }, null, 1),
  };
  return { id, messages, facts, files };
}

const withoutSpeaker = (said: string): string => said.replace(/^[AT]: /, "");

function asMessages(said: string, draw: Draw): ChatMessage[] {
  const text = withoutSpeaker(said);
  if (said.startsWith("T: ")) return toolCall("bash", '{"command":"make report"}', text, draw);
  return [{ role: said.startsWith("A: ") ? "assistant" : "user", content: text }];
}
