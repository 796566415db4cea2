import { isJson, listOf, textOf, textsOf } from "../../apis/shared/fields.ts";
import type { Entry } from "../../core/types.ts";
import type { WireRequest } from "./index.ts";

/** Shorter system messages are notes of the moment, such as how many tokens are left (characters). */
const LEAST_CHARS = 160;
/** Instructions of this share of the window's characters are kept at the most, and as much of other words of a client. */
const MOST_SHARE = 1 / 8;
/** Characters of a token, on the safe side. */
const CHARS_PER_TOKEN = 3;

/** A system message among the other messages. */
export interface LaterInstruction {
  readonly index: number;
  readonly text: string;
}

/**
 * System messages that a client sent after its first message. Newer clients of Anthropic tell the model in them where it
 * works and by which rules; they may stand only in certain places, so where a view hides one, its text goes into the
 * system prompt word for word. The first one and the newest ones come first, if there are too many.
 */
export function laterInstructions({ transcript }: WireRequest, window: number): readonly LaterInstruction[] {
  const found: LaterInstruction[] = [];
  const texts = new Set<string>();
  for (let index = transcript.length - 1; index > 0; index--) {
    const message = transcript[index];
    if (!isJson(message) || message["role"] !== "system") continue;
    const text = textsOf(message["content"])
      .filter((one) => one !== "")
      .join("\n\n");
    if (text.length < LEAST_CHARS || texts.has(text)) continue;
    texts.add(text);
    found.push({ index, text });
  }
  if (found.length === 0) return found;
  let left = window * MOST_SHARE * CHARS_PER_TOKEN;
  const byWorth = [found.at(-1)!, ...found.slice(0, -1)];
  return byWorth
    .filter(({ text }) => {
      if (text.length > left) return false;
      left -= text.length;
      return true;
    })
    .sort((a, b) => a.index - b.index);
}

/** The system prompt with instructions behind it. */
export function withInstructions(system: unknown, instructions: readonly LaterInstruction[]): unknown {
  if (instructions.length === 0) return system;
  const before = typeof system === "string" ? [{ type: "text", text: system }] : listOf(system);
  return [...before, ...instructions.map(({ text }) => ({ type: "text", text }))];
}

/** Those that the view doesn't show where they stood. */
export function hiddenInstructions(
  instructions: readonly LaterInstruction[],
  entries: readonly Entry[],
): readonly LaterInstruction[] {
  if (instructions.length === 0) return instructions;
  const shown = new Set(
    entries.flatMap((entry) => (entry.type === "keep" || entry.type === "edit" ? [entry.index] : [])),
  );
  return instructions.filter(({ index }) => !shown.has(index));
}

/** Blocks in which clients tell the model where it works and by which rules (CLAUDE.md, AGENTS.md). */
const BLOCKS = "<(system-reminder|environment_context|user_instructions|INSTRUCTIONS|session_context)>";
const HEADING = "^# AGENTS\\.md instructions";
const CLIENT_BLOCKS = new RegExp(`${BLOCKS}|${HEADING}`);
const WHOLE_BLOCKS = new RegExp(`${BLOCKS}[^]*?(?:</\\1>|$)|${HEADING}.*`, "g");

/** A text of the user's role without what a client put there. */
export function withoutClientBlocks(text: string): string {
  return CLIENT_BLOCKS.test(text) ? text.replace(WHOLE_BLOCKS, " ") : text;
}

/**
 * Messages before the first answer in which the client, not the user, speaks. Clients send the project's rules there once
 * and rely on them from then on, so they are pinned: a summary keeps what the user said, not what a client put beside it.
 */
export function clientMessages({ transcript }: WireRequest, window: number): readonly number[] {
  const pins: number[] = [];
  let left = window * MOST_SHARE * CHARS_PER_TOKEN;
  for (const [index, message] of transcript.entries()) {
    if (!isJson(message) || !SPEAKERS.has(message["role"])) break;
    if (message["role"] !== "user") continue;
    const text = textsOf(message["content"] ?? message["parts"]).join("\n");
    if (text.length > left || !CLIENT_BLOCKS.test(text)) continue;
    left -= text.length;
    pins.push(index);
  }
  return pins;
}

/** Who may speak before the first answer. */
const SPEAKERS: ReadonlySet<unknown> = new Set(["system", "developer", "user"]);

/** The tools that the model really reads: those with `defer_loading` cost nothing until a search has found them. */
export function loadedTools({ tools, transcript }: WireRequest): unknown {
  const list = listOf(tools);
  if (!list.some(isDeferred)) return tools;
  const found = new Set<string>();
  for (const message of transcript) if (isJson(message)) findReferences(message["content"], found);
  return list.filter((tool) => !isDeferred(tool) || found.has(textOf((tool as NamedTool).name) ?? ""));
}

interface NamedTool {
  readonly name?: unknown;
}

function isDeferred(tool: unknown): boolean {
  return isJson(tool) && tool["defer_loading"] === true;
}

/** Names of tools that results of a search refer to, of the client's own or of the provider's. */
function findReferences(content: unknown, found: Set<string>): void {
  for (const part of listOf(content)) {
    if (!isJson(part)) continue;
    if (part["type"] === "tool_reference") found.add(textOf(part["tool_name"]) ?? "");
    else if (part["type"] === "tool_result") findReferences(part["content"], found);
    else if (isJson(part["content"])) findReferences(part["content"]["tool_references"], found);
  }
}
