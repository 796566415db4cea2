import type { IncomingHttpHeaders } from "node:http";
import { servedApis } from "../../apis/served.ts";
import type { ApiAnswer, ApiRequest, Route, ServedApi } from "../../apis/shared/api.ts";
import { eventText, readEvents } from "../../apis/shared/events.ts";
import {
  isJson,
  type Json,
  listOf,
  objectsOf,
  parseJson,
  textOf,
  textsOf,
} from "../../apis/shared/fields.ts";
import type { Dialect, Entry, Message } from "../../core/types.ts";
import { RequestFault } from "../http/request-fault.ts";
import { readingHidden } from "./gateway-tools.ts";

/** Dialects by those that remember what they read. */
const plain = new WeakMap<Dialect<unknown>, Dialect<unknown>>();

/** All APIs, the usual one first. */
const [usual, ...others] = [wireOf(servedApis[0]), ...servedApis.slice(1).map(wireOf)] as const;
const all = [usual, ...others];

export const wires: ReadonlyMap<string, Wire> = new Map(all.map((wire) => [wire.path, wire]));

/** What a path asks which API for. */
export interface Routed {
  readonly wire: Wire;
  readonly route: Route;
}

/** Paths that stand for themselves. */
const routes: ReadonlyMap<string, Routed> = new Map(
  all
    .filter((wire) => !wire.routing)
    .flatMap((wire): (readonly [string, Routed])[] => [
      [wire.path, { wire, route: "answer" }],
      ...(wire.counting ? [[wire.counting.path, { wire, route: "count" }] as const] : []),
      ...(wire.compacting ? [[wire.compacting.path, { wire, route: "compaction" }] as const] : []),
    ]),
);

/** Our paths that name no model. */
export const plainPaths: ReadonlySet<string> = new Set(routes.keys());

/** All of our paths for people to read, and what they are for. */
export const writtenRoutes: readonly (Routed & { readonly path: string })[] = [
  ...[...routes].map(([path, routed]) => ({ path, ...routed })),
  ...all.flatMap((wire) => (wire.routing?.written ?? []).map(([path, route]) => ({ path, wire, route }))),
];

/** What a path (without its query) asks for; undefined if it is none of ours. */
export function routeOf(path: string): Routed | undefined {
  const plain = routes.get(path);
  if (plain) return plain;
  for (const wire of all) {
    const route = wire.routing?.routeOf(path);
    if (route) return { wire, route };
  }
  return undefined;
}

export function streamPath(wire: Wire, model: string): string {
  return wire.pathOf?.(model, true) ?? wire.path;
}

/** The API of a wire format, for conversations that were stored in it. */
export function wireOfDialect(dialect: string | undefined): Wire {
  return all.find((wire) => wire.dialect.id === dialect) ?? usual;
}

/** The API that a path belongs to: its own, or one below it. */
export function wireAtPath(path: string): Wire | undefined {
  return all.find((wire) => wire.routing?.isAt(path) ?? path.startsWith(wire.path));
}

/** The API of a request, by its path or else by its headers: some paths belong to several. */
export function wireOfRequest(path: string, headers: IncomingHttpHeaders): Wire {
  return wireAtPath(path) ?? all.find((wire) => wire.isSpokenBy?.(headers)) ?? usual;
}

/** What the gateway needs to know of a request, whatever API it is for. */
export type WireRequest = ApiRequest;
export type WireAnswer = ApiAnswer;

/** One API of a provider as the gateway serves it. */
export interface Wire extends Omit<ServedApi, "read" | "write" | "brokenOff" | "isAt"> {
  /** Does this server speak it, and not just any API? */
  isAt(hostname: string): boolean;
  /** Throws `RequestFault` on a body that can't be a request of this API. The path comes with its query. */
  read(body: Json, path: string): WireRequest;
  /** The request with another view; everything else stays as it is. */
  write(body: Json, view: { readonly messages: readonly unknown[]; readonly system: unknown }): Json;
  readStream(text: string): WireAnswer;
  /** What tells a client that its streamed answer broke off. */
  brokenOff(status: number, error: { readonly code: string; readonly message: string }): string;
}

function wireOf(api: ServedApi): Wire {
  const dialect = wireDialect(api.dialect);
  const field = api.fields.messages;
  return {
    ...api,
    dialect,
    isAt: api.isAt ?? api.provider.isAt,
    read(body, path) {
      const request = api.read(body, path);
      if (request === undefined) throw new RequestFault(400, "invalid", api.lack);
      return request;
    },
    write: (body, { messages, system }) =>
      api.write(body, { messages: rewrittenMessages(dialect, body[field], messages), system }),
    readStream(text) {
      const isList = api.streamsLists && text.trimStart().startsWith("[");
      return api.readAnswer(api.assemble(isList ? objectsOf(parseJson(text)) : readEvents(text)));
    },
    brokenOff: (status, error) => eventText(api.brokenOff?.(error) ?? api.error(status, error)),
  };
}

/** A dialect as the gateway reads by it: with what a client wasn't shown, and each message once. */
function wireDialect<M>(dialect: Dialect<M>): Dialect<unknown> {
  return rememberReads(readingHidden(dialect as Dialect<unknown>));
}

/** The dialect, reading each wire message once: messages come again with every request, and are the same objects then. */
function rememberReads(dialect: Dialect<unknown>): Dialect<unknown> {
  const known = new WeakMap<object, Message>();
  const remembering: Dialect<unknown> = {
    ...dialect,
    read(message) {
      if (typeof message !== "object" || message === null) return dialect.read(message);
      const before = known.get(message);
      if (before) return before;
      const read = dialect.read(message);
      known.set(message, read);
      return read;
    },
  };
  plain.set(remembering, dialect);
  return remembering;
}

/** The dialect for messages that will not come again as the same objects: remembering them would be work for nothing. */
export function withoutMemory(dialect: Dialect<unknown>): Dialect<unknown> {
  return plain.get(dialect) ?? dialect;
}

/** What the client sent leaves as it came; what was rewritten, without fields that strict upstreams refuse. */
function rewrittenMessages(
  dialect: Dialect<unknown>,
  before: unknown,
  messages: readonly unknown[],
): readonly unknown[] {
  const sent = new Set(Array.isArray(before) ? (before as readonly unknown[]) : []);
  return messages.map((message) =>
    sent.has(message) ? message : dialect.edit(message, [{ type: "strip-fields", why: "interface-only" }]),
  );
}

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
