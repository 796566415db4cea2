import { firstCharacters, lastCharacters } from "../../core/first-characters.ts";
import { isHostNote, saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import { forbids, setsLastingRule } from "../keep/rules.ts";
import { spokenSentences } from "../text/sentences.ts";
import { isRetrieved, withoutCommandTags, withoutTagged } from "../text/tagged.ts";
import { isSummaryMessage, readSections } from "../write/sections.ts";

/**
 * Is this text, which looks like a summary message, one that we wrote? Only then its titles and pointers are believed.
 * Anybody can write such a text, and hosts store what tools said.
 */
export type IsOurs = (text: string) => boolean;

/** What the user typed, as far as it can be told from what was pasted or put there by the host. */
export interface UserWords {
  readonly message: number;
  readonly text: string;
  /** All that the message says, pastes included, without passages that a host retrieved: `text` is what is left without them. */
  readonly whole: string;
  /** A rule that holds until it is taken back ("always …", "from now on …"), or words that forbid something; not a request of the moment. */
  readonly isRule: boolean;
}

/** In a longer message a fenced stretch is a paste, not the user's own words (characters). */
const SHORT_MESSAGE = 800;
/** Longer texts were pasted as a whole: what was typed stands at the start or at the end (characters). */
const MAX_TYPED = 6_000;
const PASTE_HEAD = 1_200;
const PASTE_TAIL = 400;

/** What a host wrote in place of a command is told by its start (characters). */
const EXPANSION_HEAD = 80;
const COMMAND = /<command-name>/;
/** How a message begins or goes on in which a host shows what a command of its own printed. */
const ANSWER_OF_HOST = /<local-command-std(?:out|err)>/;

/** Rules may take this share of a shortened text; its start says what they are about. */
const RULES_SHARE = 2 / 3;

/** A block in which hosts remind a model of something. */
const REMINDER = "system-reminder";
const FENCED = /```[\s\S]*?(?:```|$)/g;

/** The typed text of a message: without blocks that a host put there and without long pastes. */
export function typedText(text: string): string {
  let typed = withoutTagged(text);
  if (typed.length > SHORT_MESSAGE) typed = typed.replace(FENCED, " ");
  // A message that is nothing else is what the user sent, whatever it looks like; a retrieved passage is what its author wrote.
  if (typed.trim() === "") typed = withoutCommandTags(withoutTagged(text, isRetrieved));
  typed = withOneSpace(typed);
  if (typed.length <= MAX_TYPED) return typed;
  return `${cutAfter(typed, PASTE_HEAD)} …\n… ${lastCharacters(typed, PASTE_TAIL)}`;
}

function cutAfter(text: string, limit: number): string {
  const space = Math.max(text.lastIndexOf(" ", limit), text.lastIndexOf("\n", limit));
  return firstCharacters(text, space > limit / 2 ? space : limit).trimEnd();
}

/** Does it stand right behind a command of the host, which put these instructions there? The user typed the command only. */
function isExpansion(messages: readonly Message[], index: number): boolean {
  const before = messages[index - 1];
  return before !== undefined && isCommand(before);
}

function isCommand(message: Message): boolean {
  return message.role === "user" && COMMAND.test(saidText(message));
}

/** Is it a command that the host answered itself (`/exit`)? It says nothing about the work. */
function isAnsweredByHost(messages: readonly Message[], index: number): boolean {
  if (!isCommand(messages[index]!)) return false;
  return [messages[index]!, messages[index + 1]].some(
    (message) => message?.role === "user" && ANSWER_OF_HOST.test(saidText(message)),
  );
}

/** The text within `limit` characters: its start, and rules from the rest of it. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = cutAfter(text, Math.max(1, limit - 2));
  const rules = rulesOf(text);
  const isLost = rules.some(({ end }) => end > head.length);
  // A start that gives way to rules may lose rules of its own.
  const behind = rules.filter(({ end }) => end > limit * (1 - RULES_SHARE));
  const kept = isLost ? rulesThatFit(behind, Math.floor(limit * RULES_SHARE)) : [];
  if (kept.length === 0) return `${head} …`;
  const tail = kept.map((rule) => rule.text).join(" … ");
  const room = Math.max(1, limit - tail.length - 6);
  const before = text.slice(0, kept[0]!.start).trimEnd();
  return `${before.length <= room ? before : cutAfter(before, room)} … ${tail} …`.trimStart();
}

/** A long message shows its end, too: there stand the question, or how the work is checked and what is open. */
const END_SHARE = 0.4;
/** Below this length there is room for the start only (characters). */
const LEAST_WITH_END = 240;
/** A fenced stretch of so many lines is a command that the user names, not a paste. */
const COMMAND_LINES = 3;

/** What was typed within `limit` characters: its start, its end, and rules from between. */
export function beginningAndEnd({ text, whole }: Pick<UserWords, "text" | "whole">, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < LEAST_WITH_END) return shorten(text, limit);
  // A message that is nothing but tags or code is what the user sent: then `text` is all of it.
  const all = (whole.length <= MAX_TYPED && withCommands(whole)) || text;
  const { shown, from } = endOf(all, Math.floor(limit * END_SHARE));
  if (shown === "") return shorten(all, limit);
  return `${shorten(all.slice(0, from).trimEnd(), limit - shown.length - 3)}\n${shown}`;
}

/** The typed text of a message, with the commands that stand in it between fences. */
function withCommands(text: string): string {
  const typed = withoutTagged(text).replace(FENCED, (fenced) => {
    const lines = fenced.split("\n").slice(1, -1);
    return lines.length <= COMMAND_LINES ? lines.join("\n") : " ";
  });
  return withOneSpace(typed);
}

function withOneSpace(text: string): string {
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n\s*/g, "\n")
    .trim();
}

/** The last lines of a text within so many characters. Of a last line that is too long, its last sentences, or nothing. */
function endOf(text: string, limit: number): { readonly shown: string; readonly from: number } {
  const cut = text.length - limit;
  const behind = text.slice(cut);
  const mark = /\n/.exec(behind) ?? /[.!?…]\s+|[。！？।]/.exec(behind);
  const from = mark === null ? text.length : cut + mark.index + mark[0].length;
  return { shown: text.slice(from), from };
}

const isRule = (text: string): boolean => setsLastingRule(text) || forbids(text);

interface Rule {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The rules of a text, and where they stand in it. */
function rulesOf(text: string): Rule[] {
  let end = 0;
  const rules = spokenSentences(text).filter(isRule);
  return rules.map((sentence) => {
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
  isOurs: IsOurs = () => false,
): UserWords[] {
  const words: UserWords[] = [];
  for (const index of indexes) {
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
          words.push({ message: index, text: entry, whole: entry, isRule: isRule(entry) });
      continue;
    }
    const all = typedText(text);
    if (all === "" || isAnsweredByHost(messages, index) || isHostNote(messages, index)) continue;
    const typed = isExpansion(messages, index) ? cutAfter(all, EXPANSION_HEAD) : all;
    const whole = withoutTagged(text, (name) => isRetrieved(name) || name === REMINDER).trim();
    words.push({ message: index, text: typed, whole: whole || typed, isRule: isRule(typed) });
  }
  return withoutSentAgain(words, messages);
}

/** Fewer characters are alike by chance. */
const LEAST_SENT = 16;
/** With so many later messages one is compared. */
const LATER_MESSAGES = 8;
/** Looked for where it begins only: a text may be nothing but signs with a letter behind them. */
const LAST_SIGNS = /(?<![\p{P}\s])[\p{P}\s]+$/u;
/** What may follow words that are sent again: within a name (`a` and `a.ts`, `1` and `12`) they go on as others. */
const WORD_END = /^\p{P}*(?:\s|$)/u;

/** Without messages that the user sent again, as they were or with more behind them, before anybody had answered. */
function withoutSentAgain(words: readonly UserWords[], messages: readonly Message[]): UserWords[] {
  /** By place in `words`. Most are never asked for: somebody answered. */
  const known = new Map<number, string>();
  const said = (at: number): string => {
    const before = known.get(at);
    if (before !== undefined) return before;
    const text = words[at]!.text.toLowerCase().replace(/\s+/g, " ").trim();
    known.set(at, text);
    return text;
  };
  const isSentAgain = (at: number): boolean => {
    const { message } = words[at]!;
    const last = Math.min(words.length - 1, at + LATER_MESSAGES);
    let begun: string | undefined;
    for (let later = at + 1, from = message; later <= last; later++) {
      const to = words[later]!.message;
      for (; from < to; from++) if (messages[from]!.role === "assistant") return false;
      if (to === message) continue;
      begun ??= said(at).replace(LAST_SIGNS, "");
      if (begun.length < LEAST_SENT) return false;
      const next = said(later);
      if (next.startsWith(begun) && WORD_END.test(next.slice(begun.length))) return true;
    }
    return false;
  };
  const kept: UserWords[] = [];
  for (const [at, one] of words.entries()) {
    if (!isSentAgain(at)) kept.push(one);
    known.delete(at);
  }
  return kept;
}
