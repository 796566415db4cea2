import type { Part } from "../../core/types.ts";
import { type Json, obj, objects } from "../json.ts";
import type { FakeWire } from "./fake-wire.ts";
import type { FakeApi, FakeBody, FakeCacheOptions, FakeMessage, FakeTokens } from "./types.ts";

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

const MIN_TOKENS = 1_024;
const TTL_MS = 300_000;
/** How much longer an entry of `ttl: "1h"` lasts. */
const LONG_TTL_FACTOR = 12;
/** Anthropic looks for an earlier entry at most this many pieces before a breakpoint. */
const LOOKBACK = 20;
/** OpenAI's cache grows in steps of this many tokens. */
const STEP = 128;

/** What a prompt finds in the cache, and what it leaves there. */
export interface CacheUse extends FakeTokens {
  /** Of `cacheWrite`: what is kept for an hour. */
  readonly longWrite: number;
}

export interface PromptCache {
  /** Accounts for one prompt and remembers it. */
  use(api: FakeApi, model: string, pieces: readonly PromptPiece[]): CacheUse;
}

/** A beginning of prompts. Whole texts are the keys: to name each beginning by a hash was a tenth of a long test's work. */
interface Beginning {
  /** When the provider forgets it, by its clock; 0 for one that is only on the way to others. */
  until: number;
  /** By the text of the piece that follows. */
  readonly followedBy: Map<string, Beginning>;
}

/**
 * A provider's prompt cache. OpenAI: automatic, the longest common beginning with any earlier prompt of the same model.
 * Anthropic: entries only at `cache_control` breakpoints, found only from breakpoints.
 */
export function createPromptCache(options: FakeCacheOptions, now: () => number): PromptCache {
  const minTokens = options.minTokens ?? MIN_TOKENS;
  const ttlMs = options.ttlMs ?? TTL_MS;
  const byModel = { automatic: new Map<string, Beginning>(), marked: new Map<string, Beginning>() };

  const isAlive = (beginning: Beginning): boolean => beginning.until > now();
  const keep = (beginning: Beginning, factor = 1): void => {
    beginning.until = Math.max(beginning.until, now() + ttlMs * factor);
  };

  function automatic(model: string, pieces: readonly PromptPiece[]): CacheUse {
    const input = inputTokens(pieces);
    const root = beginningFor(byModel.automatic, model);
    let common = 0;
    let at = 0;
    let known = root;
    for (; at < pieces.length; at++) {
      const longer = known.followedBy.get(pieces[at]!.text);
      if (longer === undefined || !isAlive(longer)) break;
      common += pieces[at]!.tokens;
      known = longer;
    }
    const next = pieces[at];
    if (next !== undefined) {
      const alive = [...known.followedBy].filter(([, longer]) => isAlive(longer));
      const share = Math.max(0, ...alive.map(([text]) => sharedShare(text, next.text)));
      common += Math.floor(share * next.tokens);
    }
    for (const beginning of beginningsOf(pieces, root).slice(1)) keep(beginning);
    const rounded = Math.floor(common / STEP) * STEP;
    const cacheRead = rounded >= minTokens ? rounded : 0;
    return { input, cacheRead, cacheWrite: 0, longWrite: 0 };
  }

  function marked(model: string, pieces: readonly PromptPiece[]): CacheUse {
    const input = inputTokens(pieces);
    const beginnings = beginningsOf(pieces, beginningFor(byModel.marked, model));
    const ends = pieces.flatMap((piece, index) => (piece.breakpoint === undefined ? [] : [index + 1]));
    const lastEnd = ends.at(-1) ?? 0;
    const sizeAt = (end: number): number => inputTokens(pieces.slice(0, end));
    let found = 0;
    for (const end of ends)
      for (let at = end; at > Math.max(0, end - LOOKBACK); at--)
        if (at > found && isAlive(beginnings[at]!)) found = at;
    const cacheRead = sizeAt(found);
    if (found > 0) keep(beginnings[found]!);
    let cacheWrite = 0;
    let longWrite = 0;
    let from = found;
    for (const end of ends) {
      const isLong = pieces[end - 1]!.breakpoint === "long";
      if (sizeAt(end) < minTokens) continue;
      keep(beginnings[end]!, isLong ? LONG_TTL_FACTOR : 1);
      if (end <= from) continue;
      const added = sizeAt(end) - sizeAt(from);
      cacheWrite += added;
      if (isLong) longWrite += added;
      from = end;
    }
    return lastEnd === 0
      ? { input, cacheRead: 0, cacheWrite: 0, longWrite: 0 }
      : { input, cacheRead, cacheWrite, longWrite };
  }

  return {
    use: (api, model, pieces) => (api === "messages" ? marked(model, pieces) : automatic(model, pieces)),
  };
}

/** The beginnings of a prompt that the cache knows now: nothing, the first piece, the first two … */
function beginningsOf(pieces: readonly PromptPiece[], root: Beginning): Beginning[] {
  const beginnings = [root];
  for (const { text } of pieces) beginnings.push(beginningFor(beginnings.at(-1)!.followedBy, text));
  return beginnings;
}

function beginningFor(known: Map<string, Beginning>, text: string): Beginning {
  const found = known.get(text);
  if (found !== undefined) return found;
  const made: Beginning = { until: 0, followedBy: new Map() };
  known.set(text, made);
  return made;
}

/** How much of `text` is also the beginning of `other`. */
function sharedShare(other: string, text: string): number {
  const length = Math.min(other.length, text.length);
  let at = 0;
  while (at < length && other.charCodeAt(at) === text.charCodeAt(at)) at++;
  return text.length === 0 ? 0 : at / text.length;
}
