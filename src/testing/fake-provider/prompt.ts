import type { Part } from "../../core/types.ts";
import { type Json, obj, objects } from "../json.ts";
import type { FakeWire } from "./fake-wire.ts";
import type { FakeBody, FakeMessage } from "./types.ts";

/** One piece of a prompt, in the order in which the model reads it. */
export interface PromptPiece {
  /** What the cache compares. */
  readonly text: string;
  readonly tokens: number;
  /** A cache breakpoint stands behind it, for minutes or for an hour. */
  readonly breakpoint?: "short" | "long" | undefined;
}

/** A request as the model reads it. */
export interface Prompt {
  readonly pieces: readonly PromptPiece[];
  readonly messages: readonly FakeMessage[];
  readonly tools: readonly string[];
}

/** What a message costs beside its content. */
const MESSAGE_TOKENS = 4;
/** What a picture or a file costs: its base64 isn't read as text. */
const MEDIA_TOKENS = 1_000;

/** Reads a request: tools, system prompt, settings, messages part by part. The cache compares what is read, and nothing else. */
export function readPrompt(
  wire: Pick<FakeWire, "api" | "settings" | "comparesThoughts" | "joinsRoles">,
  body: FakeBody,
  path: string,
  count: (text: string) => number,
): Prompt {
  const { dialect, hosting, read } = wire.api;
  const { transcript = [], system, tools } = read(body, path) ?? {};
  const pieces: PromptPiece[] = [];
  const messages: FakeMessage[] = [];
  const push = (value: unknown, tokens: number, marked?: unknown) =>
    pieces.push({
      text: JSON.stringify(value) ?? "",
      tokens,
      breakpoint: dialect.marks?.read(marked).at(-1),
    });
  const add = (message: unknown, { isJoined = false, isLast = false } = {}) => {
    const { role, parts } = dialect.read(message);
    // The role on the wire: a text behind results makes a message the user's, and changes nothing before it.
    const { role: speaker, content } = obj(message);
    const blocks = objects(content);
    let ownTokens = isJoined ? 0 : MESSAGE_TOKENS;
    for (const [at, part] of parts.entries()) {
      if (part.type === "reasoning") {
        if (wire.comparesThoughts) push([speaker, part], 0);
        continue;
      }
      const { cache_control } = body;
      const marked = isLast && at === parts.length - 1 ? [blocks[at], { cache_control }] : blocks[at];
      push([speaker, part], tokensOf(part, count) + ownTokens, marked);
      ownTokens = 0;
    }
    const said = parts.filter(({ type }) => type !== "reasoning");
    if (said.length > 0 || parts.length === 0) messages.push({ role, text: said.map(textOf).join("\n") });
  };

  // A tool that is loaded later stands where a search found it.
  for (const { cache_control, ...tool } of objects(tools))
    if (tool["defer_loading"] !== true) push(tool, count(JSON.stringify(tool)), { cache_control });
  if (system != null && system !== "") add({ role: "system", content: system });
  if (wire.settings) push(wire.settings(body), 0);
  for (const [at, message] of transcript.entries()) {
    const roleAt = (index: number) => (transcript[index] as Json | undefined)?.["role"];
    const isJoined = wire.joinsRoles === true && at > 0 && roleAt(at - 1) === roleAt(at);
    add(message, { isJoined, isLast: at === transcript.length - 1 });
  }
  const names = (hosting?.tools(body) ?? []).map((tool) => hosting?.nameOf(tool));
  return { pieces, messages, tools: names.filter((name) => typeof name === "string") };
}

/** What a part says, for counting and for authors of replies. */
function textOf(part: Part): string {
  switch (part.type) {
    case "tool-call":
      return `${part.name} ${part.args}`;
    case "text":
    case "tool-result":
      return part.text;
    case "other":
      return part.json;
    default:
      return "";
  }
}

function tokensOf(part: Part, count: (text: string) => number): number {
  return part.type === "image" || part.type === "file" || part.type === "frame"
    ? MEDIA_TOKENS
    : count(textOf(part));
}

export const inputTokens = (pieces: readonly PromptPiece[]): number =>
  pieces.reduce((sum, piece) => sum + piece.tokens, 0);

export const lastUserText = (messages: readonly FakeMessage[]): string =>
  messages.findLast((message) => message.role === "user")?.text ?? "";
