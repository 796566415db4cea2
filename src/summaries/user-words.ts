import { runNow, type Steps } from "../core/steps.ts";
import type { Message } from "../core/types.ts";
import { lastingRules, setsLastingRule } from "./lasting-rules.ts";
import { isSummaryMessage } from "./markers.ts";
import type { IsOurs } from "./proof.ts";
import { readSections } from "./sections.ts";
import { isRetrieved, withoutCommandTags, withoutTagged } from "./tagged.ts";

/** What the user typed, as far as it can be told from what was pasted or put there by the host. */
export interface UserWords {
  readonly message: number;
  readonly text: string;
  /** All that the message says, pastes included, without passages that a host retrieved: `text` is what is left without them. */
  readonly whole: string;
  /** A rule that holds until it is taken back ("always …", "from now on …"), not a request of the moment. */
  readonly isRule: boolean;
}

/** In a longer message a fenced stretch is a paste, not the user's own words (characters). */
const SHORT_MESSAGE = 800;
/** Longer texts were pasted as a whole: what was typed stands at the start or at the end (characters). */
const MAX_TYPED = 6_000;
const PASTE_HEAD = 1_200;
const PASTE_TAIL = 400;

/** What a host wrote in place of a command is told by its start (characters). */
const EXPANSION_HEAD = 200;
const COMMAND = /<command-name>/;

/** Rules may take this share of a shortened text; its start says what they are about. */
const RULES_SHARE = 2 / 3;

const FENCED = /```[\s\S]*?(?:```|$)/g;

/** The typed text of a message: without blocks that a host put there and without long pastes. */
export function typedText(text: string): string {
  let typed = withoutTagged(text);
  if (typed.length > SHORT_MESSAGE) typed = typed.replace(FENCED, " ");
  // A message that is nothing else is what the user sent, whatever it looks like; a retrieved passage is what its author wrote.
  if (typed.trim() === "") typed = withoutCommandTags(withoutTagged(text, isRetrieved));
  typed = typed
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n\s*/g, "\n")
    .trim();
  if (typed.length <= MAX_TYPED) return typed;
  return `${cutAfter(typed, PASTE_HEAD)} …\n… ${typed.slice(typed.length - PASTE_TAIL)}`;
}

function cutAfter(text: string, limit: number): string {
  const space = Math.max(text.lastIndexOf(" ", limit), text.lastIndexOf("\n", limit));
  return text.slice(0, space > limit / 2 ? space : limit).trimEnd();
}

/** Does it stand right behind a command of the host, which put these instructions there? The user typed the command only. */
function isExpansion(messages: readonly Message[], index: number): boolean {
  const before = messages[index - 1];
  return (
    before?.role === "user" && before.parts.some((part) => part.type === "text" && COMMAND.test(part.text))
  );
}

/** The text within `limit` characters: its start, and rules from the rest of it. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const rules = rulesOf(text);
  let head = cutAfter(text, Math.max(1, limit - 2));
  // A start that gives way to rules may lose rules of its own: then those are looked for as well.
  for (;;) {
    const lost = rules.filter(({ end }) => end > head.length);
    const kept = rulesThatFit(lost, Math.floor(limit * RULES_SHARE));
    if (kept.length === 0) return `${head} …`;
    const tail = kept.map((rule) => rule.text).join(" … ");
    const room = Math.max(1, limit - tail.length - 6);
    const before = head.slice(0, kept[0]!.start).trimEnd();
    const shorter = before.length <= room ? before : cutAfter(before, room);
    if (shorter.length >= head.length || shorter === "") return `${shorter} … ${tail} …`.trimStart();
    head = shorter;
  }
}

interface Rule {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The rules of a text, and where they stand in it. */
function rulesOf(text: string): Rule[] {
  let end = 0;
  return lastingRules(text).map((sentence) => {
    const rule = sentence.trim();
    const start = text.indexOf(rule, end);
    end = start + rule.length;
    return { text: rule, start, end };
  });
}

/** The rules that fit into so many characters, the first ones first. */
function rulesThatFit(rules: readonly Rule[], limit: number): Rule[] {
  let left = limit;
  return rules.filter(({ text }) => {
    if (text.length + 3 > left) return false;
    left -= text.length + 3;
    return true;
  });
}

/**
 * The user's words of the given messages, in the given order. A summary message that came back as part of the transcript
 * holds words of the user too, but only where it is known to be ours: in any other one a tool may have written them.
 */
export function userWords(
  messages: readonly Message[],
  indexes: Iterable<number>,
  isOurs?: IsOurs,
): UserWords[] {
  return runNow(userWordsSteps(messages, indexes, isOurs));
}

/** Messages that are read in one step. */
const MESSAGES_AT_ONCE = 32;

/** The same in steps: a long conversation takes a while. */
export function* userWordsSteps(
  messages: readonly Message[],
  indexes: Iterable<number>,
  isOurs: IsOurs = () => false,
): Steps<UserWords[]> {
  const words: UserWords[] = [];
  let read = 0;
  for (const index of indexes) {
    if (++read % MESSAGES_AT_ONCE === 0) yield;
    const message = messages[index];
    if (message === undefined || message.role !== "user") continue;
    const text = message.parts
      .filter((part) => part.type === "text")
      .map((part) => part.text)
      .join("\n");
    if (text.trim() === "") continue;
    if (isSummaryMessage(text)) {
      if (isOurs(text))
        for (const { text: entry } of readSections(text).words ?? [])
          words.push({ message: index, text: entry, whole: entry, isRule: setsLastingRule(entry) });
      continue;
    }
    const all = typedText(text);
    if (all === "") continue;
    const typed = isExpansion(messages, index) ? cutAfter(all, EXPANSION_HEAD) : all;
    const whole = withoutTagged(text, isRetrieved).trim();
    words.push({ message: index, text: typed, whole: whole || typed, isRule: setsLastingRule(typed) });
  }
  return words;
}
