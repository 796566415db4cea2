import { argumentValues, messageText, plainText, unescapeNewlines } from "../message-text.ts";
import type { AgentCase, Anchor, ChatMessage } from "../types.ts";
import { contentWords } from "../words.ts";
import type { AgentSession } from "./sessions.ts";

/**
 * Anchors: the names that a next step can't do without and can't guess. Only the measurements know this definition;
 * nothing that makes views may import it, or it would be choosing lines by the answer sheet.
 */

const URL = /https?:\/\/[^\s"'`<>()[\]{}\\,]+/g;
/** Two names or more with slashes between: absolute, relative or home. Taken whole: its tails aren't further paths. */
const SLASH_PATH = /(?<![A-Za-z0-9_@./~-])(?:(?:~|\.{1,2})?\/)?[A-Za-z0-9_@.-]+(?:\/[A-Za-z0-9_@.-]+)+/g;
const EXTENSIONS =
  "go|ts|tsx|js|jsx|mjs|cjs|py|rb|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|zsh|sql|html|css|scss|vue|svelte|md|txt|json|jsonl|yaml|yml|toml|xml|ini|cfg|conf|env|lock|mod|sum|proto|graphql|tf|csv|log";
const FILE_NAME = new RegExp(
  `(?<![A-Za-z0-9_@./~-])[A-Za-z0-9_-][A-Za-z0-9_.-]*\\.(?:${EXTENSIONS})\\b`,
  "g",
);
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/g;
const HEX = /\b[0-9a-f]{7,40}\b/g;

/** Characters. */
const SHORTEST_PATH = 5;
const SHORTEST_IDENTIFIER = 7;

const SNAKE = /[A-Za-z0-9]_[A-Za-z0-9]/;
const CAMEL = /[a-z0-9][A-Z]/;
const ACRONYM_THEN_WORD = /[A-Z]{2}[a-z]/;

function isCompound(name: string): boolean {
  return SNAKE.test(name) || CAMEL.test(name) || (ACRONYM_THEN_WORD.test(name) && /^[A-Z]/.test(name));
}

function trimEnd(text: string): string {
  return text.replace(/[.:;,/-]+$/, "");
}

/** The anchors of a text: URLs, paths, file names, compound identifiers and hashes. */
export function anchorsOf(text: string): Set<string> {
  const found = new Set<string>();
  const rest = text.replace(URL, (url) => {
    found.add(trimEnd(url));
    return " ";
  });
  for (const pattern of [SLASH_PATH, FILE_NAME]) {
    for (const [match] of rest.matchAll(pattern)) {
      const path = trimEnd(match);
      if (path.length >= SHORTEST_PATH && /[A-Za-z]/.test(path)) found.add(path);
    }
  }
  for (const [name] of rest.matchAll(IDENTIFIER)) {
    if (name.length >= SHORTEST_IDENTIFIER && isCompound(name)) found.add(name);
  }
  for (const [hash] of rest.matchAll(HEX)) {
    if (/\d/.test(hash) && /[a-f]/.test(hash)) found.add(hash);
  }
  return found;
}

/** Where a session is cut, as shares of its characters. */
const CUTS = [0.5, 0.75] as const;
/** Of what may be compacted; less isn't worth compacting. About 10,000 tokens. */
const FEWEST_CHARS = 40_000;
const FEWEST_CALLS = 5;
const FEWEST_ANCHORS = 3;
/** How many calls after the cut say what was needed. */
const NEXT_CALLS = 15;
/** A name is old when the newest quarter doesn't have it. */
const OLD_SHARE = 0.25;
/** Characters on either side of a name's last place from which its neighbour words are taken. */
const REACH = 100;
const MOST_NEIGHBOURS = 30;

/** Ordinary moments of a session that has no recorded cases: cuts before the first compaction, at its rounds' borders. */
export function cutCases(session: AgentSession): AgentCase[] {
  const end = session.compactions[0] ?? session.messages.length;
  const lengths = session.messages.slice(0, end).map((message) => messageText(message).length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return CUTS.flatMap((share) => {
    const at = cutAt(session, lengths, total * share);
    const evalCase = at === undefined ? undefined : caseAt(session, at);
    return evalCase ? [evalCase] : [];
  });
}

/** The first assistant message after `chars` characters: results are never cut off from their calls. */
function cutAt(session: AgentSession, lengths: readonly number[], chars: number): number | undefined {
  let seen = 0;
  for (let index = 0; index < lengths.length; index++) {
    if (seen >= chars && seen >= FEWEST_CHARS && session.messages[index]!.role === "assistant") return index;
    seen += lengths[index]!;
  }
  return undefined;
}

function caseAt(session: AgentSession, at: number): AgentCase | undefined {
  const before = unescapeNewlines(session.messages.slice(0, at).map(messageText).join("\n"));
  const steps = following(session.messages, at, NEXT_CALLS);
  if (steps.filter((step) => step.type === "call").length < FEWEST_CALLS) return undefined;
  const needed = new Set<string>();
  let seenAgain = "";
  for (const step of steps) {
    if (step.type === "seen") {
      seenAgain += `\n${unescapeNewlines(step.text)}`;
      continue;
    }
    for (const anchor of anchorsOf(plainText(argumentValues(step.args)))) {
      if (before.includes(anchor) && !seenAgain.includes(anchor)) needed.add(anchor);
    }
  }
  if (needed.size < FEWEST_ANCHORS) return undefined;
  const newest = Math.floor(before.length * (1 - OLD_SHARE));
  return {
    type: "agent",
    kind: "cut",
    session: session.id,
    messages: session.messages,
    from: 0,
    to: at,
    anchors: [...needed].map((text): Anchor => {
      const last = before.lastIndexOf(text);
      return { text, old: last < newest, neighbours: neighboursOf(before, text, last) };
    }),
    people: session.people.filter((index) => index < at),
  };
}

function neighboursOf(before: string, anchor: string, at: number): string[] {
  const own = new Set(contentWords(anchor));
  const around = `${before.slice(Math.max(0, at - REACH), at)} ${before.slice(at + anchor.length, at + anchor.length + REACH)}`;
  return [...new Set(contentWords(around))].filter((word) => !own.has(word)).slice(0, MOST_NEIGHBOURS);
}

/** What follows a cut, in order: the calls, and the texts that the agent got to see between them. */
type Following =
  | { readonly type: "call"; readonly args: string }
  | { readonly type: "seen"; readonly text: string };

/** The next `calls` calls after `at`, with the tool results and user messages that came before the last of them. */
function following(messages: readonly ChatMessage[], at: number, calls: number): Following[] {
  const list: Following[] = [];
  let left = calls;
  for (let i = at; i < messages.length && left > 0; i++) {
    const { role, content, tool_calls = [] } = messages[i]!;
    if (role !== "assistant") list.push({ type: "seen", text: content });
    else
      for (const call of tool_calls.slice(0, left)) {
        list.push({ type: "call", args: call.function.arguments });
        left--;
      }
  }
  return list;
}
