import type { HostState, Message } from "../../core/types.ts";
import type { IsOurs } from "../proof.ts";
import { type DigestLine, type DigestMaterial, digestMaterial, readDigest } from "./digest.ts";
import type { Speech } from "./speeches.ts";
import { isNarration } from "./worth.ts";
import { writeDigest } from "./write-digest.ts";

export interface PeopleTextInput {
  readonly messages: readonly Message[];
  /** Ceiling in tokens by `count`. Never exceeded. */
  readonly cap: number;
  readonly count: (text: string) => number;
  readonly isOurs?: IsOurs;
  readonly hostState?: HostState;
}

/** Statements that are this far from a goal aren't about it (0 to 1). */
const FAR = 0.2;

/** A summary to paste into a pull request or to send to a colleague, made by code. */
export function peopleText(input: PeopleTextInput & { readonly focus?: string }): string {
  const { messages, cap, count, focus, isOurs } = input;
  const material = digestMaterial(messages, isOurs);
  const near = focus === undefined ? {} : { nearness: nearnessTo(focus, material.speeches) };
  const digest = readDigest(material, { ...options(input), ...near });
  return writeDigest({ digest, cap, count });
}

/** How a hand-over begins: what it is and what it is for. */
export function handoverHead(goal: string, messages: readonly Message[]): string {
  return [
    "# Hand-over",
    `**Goal:** ${goal}`,
    `What follows is a record of an earlier session (${messages.length} ${messages.length === 1 ? "message" : "messages"}), made for this goal. It is background, not an instruction: look at the files before you rely on it.`,
  ].join("\n\n");
}

/** Stands before what a model wrote about the earlier session. */
export const NARRATIVE_TITLE = "## The earlier session\n";

/** What a fresh session should know of an earlier one to reach a goal. */
export function handoverText(
  input: PeopleTextInput & {
    readonly goal: string;
    /** What a model wrote about the earlier session, instead of state and decisions by code. */
    readonly narrative?: string;
  },
): string {
  const { messages, cap, count, goal, narrative, isOurs } = input;
  const begin = handoverHead(goal, messages);
  const head = narrative === undefined ? begin : `${begin}\n\n${NARRATIVE_TITLE}${narrative}`;
  const material = digestMaterial(messages, isOurs);
  const nearness = nearnessTo(goal, material.speeches);
  const digest = readDigest(material, { ...options(input), nearness });
  const shown = new Set([...digest.state, ...digest.goal].map(({ text }) => text));
  const near =
    narrative === undefined ? nearLines(material, nearness).filter(({ text }) => !shown.has(text)) : [];
  const isNear = new Set(near.map(({ text }) => text));
  const rest = writeDigest({
    digest:
      narrative === undefined
        ? { ...digest, decisions: digest.decisions.filter(({ text }) => !isNear.has(text)) }
        : { ...digest, goal: [], state: [], decisions: [] },
    above: goal,
    cap: cap - count(`${head}\n\n`),
    count,
    more: { title: "What was said about the goal", lines: near },
    goalTitle: "What the earlier session was asked for",
    fullPaths: true,
  });
  return rest === "" ? head : `${head}\n\n${rest}`;
}

const options = ({ hostState }: PeopleTextInput) => ({
  ...(hostState !== undefined && { hostState }),
});

/** Statements of both speakers that are about the goal. */
function nearLines({ speeches, requests }: DigestMaterial, nearness: (text: string) => number): DigestLine[] {
  const spoken = speeches.flatMap(({ message, statements }) =>
    statements.flatMap((statement) => (isNarration(statement) ? [] : [{ message, text: statement.text }])),
  );
  const asked = requests.flatMap(({ message, statements }) =>
    statements.map(({ text }) => ({ message, text: `The user: ${text}`, repeats: text })),
  );
  const lines = new Map<string, DigestLine>();
  for (const line of [...spoken, ...asked].toSorted((a, b) => a.message - b.message)) {
    const worth = nearness(line.text);
    if (worth > FAR) lines.set(line.text, { ...line, worth });
  }
  return [...lines.values()];
}

/** Words that a text is about, in lower case; parts of compound names count by themselves. */
function wordsOf(text: string): Set<string> {
  const split = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replaceAll("_", " ");
  return new Set(split.toLowerCase().match(/\p{N}+|[\p{L}\p{N}]{3,}/gu) ?? []);
}

/**
 * How near texts are to a goal, 0 to 1: the share of the goal's words that they have, where words that few of the assistant's
 * statements have count for more.
 */
function nearnessTo(goal: string, speeches: readonly Pick<Speech, "statements">[]): (text: string) => number {
  const wanted = wordsOf(goal);
  const counts = new Map<string, number>();
  const texts = speeches.flatMap(({ statements }) => statements.map(({ text }) => text));
  for (const text of texts) {
    for (const word of wordsOf(text)) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  // A word that no text has can't tell texts apart.
  const weight = (word: string): number => {
    const count = counts.get(word) ?? 0;
    return count === 0 ? 0 : Math.log(1 + texts.length / count);
  };
  const total = [...wanted].reduce((sum, word) => sum + weight(word), 0);
  if (total === 0) return () => 0;
  return (text) => {
    const own = wordsOf(text);
    return [...wanted].reduce((sum, word) => sum + (own.has(word) ? weight(word) : 0), 0) / total;
  };
}
