import type { Json } from "../../apis/shared/fields.ts";
import type { HostedTool, IsHosted, ToolHosting } from "../../apis/shared/hosting.ts";
import type { HostedToolName } from "../../config/gateway-schema.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { Dialect, Message, Part } from "../../core/types.ts";
import { COMPACT_TOOL } from "../../recall/compact-tool.ts";
import { RECALL_TOOL } from "../../recall/recall-tool.ts";

/** How tools are called in requests. Names of clients' own tools don't begin so. */
const PREFIX = "precis_";

/** What tells a model of a tool that isn't called as its option is. */
const NAMES: { readonly [tool in HostedToolName]?: string } = { defer: "load_tools" };

export function hostedName(tool: HostedToolName): string {
  return `${PREFIX}${NAMES[tool] ?? tool}`;
}

const DESCRIBED: { readonly [tool in HostedToolName]?: Pick<HostedTool, "description" | "parameters"> } = {
  recall: RECALL_TOOL,
  compact: COMPACT_TOOL,
};

/** Tools as models are told of them. The one that loads others lists them, so it is made for each request. */
export const hostedTools = (tools: readonly HostedToolName[]): readonly HostedTool[] =>
  tools.flatMap((tool) => {
    const described = DESCRIBED[tool];
    return described ? { name: hostedName(tool), ...described } : [];
  });

/** The request with tools behind the client's own. */
export const withTools = (hosting: ToolHosting, body: Json, tools: readonly HostedTool[]): Json =>
  hosting.withTools(body, [...hosting.tools(body), ...tools.map(hosting.declare)]);

/** The request without them: for a model that must call a tool, and has called ours already. */
export const withoutTools = (hosting: ToolHosting, body: Json, isHosted: IsHosted): Json =>
  hosting.withTools(
    body,
    hosting.tools(body).filter((tool) => !isHosted(hosting.nameOf(tool))),
  );

/** The `tools` of a request that has none but these; undefined where the API can't carry them. */
export function hostedAlone(
  { hosting }: { readonly hosting?: ToolHosting | undefined },
  tools: readonly HostedToolName[],
): unknown {
  return tools.length === 0 || !hosting ? undefined : withTools(hosting, {}, hostedTools(tools))["tools"];
}

/** An answer of which the client was shown a part: in between, the model called a tool of precis's own, and precis answered. */
interface HiddenRounds {
  /** The messages that stand for it in the transcript. */
  readonly shown: readonly object[];
  /** All that the model said and was answered, as it is sent. */
  readonly real: readonly unknown[];
}

const rounds = new WeakMap<object, HiddenRounds>();

/** Copies of what a client was shown of an answer; wherever they are kept in a view, all of the answer is sent. */
export function hideRounds(shown: readonly object[], real: readonly unknown[]): readonly object[] {
  const copies = shown.map((message) => ({ ...message }));
  for (const copy of copies) rounds.set(copy, { shown: copies, real });
  return copies;
}

/**
 * The dialect, reading what a client wasn't shown of an answer as reasoning of its first message: it counts, no client sends it
 * back, it is part of no hash, and it leaves a view as reasoning does.
 */
export function readingHidden(dialect: Dialect<unknown>): Dialect<unknown> {
  return {
    ...dialect,
    read(wire) {
      const message = dialect.read(wire);
      const hidden = typeof wire === "object" && wire !== null ? rounds.get(wire) : undefined;
      return hidden !== undefined && hidden.shown[0] === wire
        ? withHiddenPart(dialect, message, hidden)
        : message;
    },
  };
}

function withHiddenPart(dialect: Dialect<unknown>, message: Message, { shown, real }: HiddenRounds): Message {
  const all = real.flatMap((one) => dialect.read(one).parts);
  const known = new Set(shown.flatMap((one) => dialect.read(one).parts).map(keyOf));
  const more = all.filter((part) => !known.has(keyOf(part)));
  const signed = all.some((part) => part.type === "reasoning" && part.signed);
  const part: Part = { type: "reasoning", text: more.map(wordsOf).join("\n"), signed };
  hiddenParts.add(part);
  return { ...message, parts: [...message.parts, part] };
}

const hiddenParts = new WeakSet<Part>();

/** The parts of a message that people are shown. */
export function shownParts(parts: readonly Part[]): readonly Part[] {
  return parts.some((part) => hiddenParts.has(part)) ? parts.filter((part) => !hiddenParts.has(part)) : parts;
}

function keyOf(part: Part): string {
  return `${part.type} ${wordsOf(part)}`;
}

function wordsOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return `${part.id} ${part.name} ${part.args}`;
    case "tool-result":
      return `${part.id} ${part.text}`;
    default:
      return "";
  }
}

/**
 * Messages as the upstream gets them: with the rounds that the client wasn't shown, wherever the view has all of what it was
 * shown. What a view has shortened stays as it is, without reasoning that led to something which isn't there.
 */
export function withHiddenRounds(
  dialect: Dialect<unknown>,
  { joined }: Pick<ToolHosting, "joined">,
  messages: readonly unknown[],
): readonly unknown[] {
  const sent: unknown[] = [];
  let isBehindHidden = false;
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    const hidden = hiddenOf(message);
    if (hidden?.shown.every((one, index) => messages[at + index] === one)) {
      sent.push(...marked(dialect, hidden));
      at += hidden.shown.length - 1;
      isBehindHidden = true;
      continue;
    }
    const both = isBehindHidden ? joined?.(sent.at(-1), message) : undefined;
    if (both !== undefined) sent[sent.length - 1] = both;
    else if (hidden && hidden.shown.length > 1) sent.push(...withoutReasoning(dialect, message));
    else sent.push(message);
    isBehindHidden = false;
  }
  return sent;
}

function hiddenOf(message: unknown): HiddenRounds | undefined {
  return typeof message === "object" && message !== null ? rounds.get(message) : undefined;
}

/** Clients move their marks of the prompt cache along: what stands in a message's place takes its mark. */
function marked(dialect: Dialect<unknown>, { shown, real }: HiddenRounds): readonly unknown[] {
  const life = dialect.marks?.read(shown).at(-1);
  const last = real.at(-1);
  return life === undefined ? real : [...real.slice(0, -1), dialect.marks?.add(last, life) ?? last];
}

function withoutReasoning(dialect: Dialect<unknown>, message: unknown): readonly unknown[] {
  if (isOnlyReasoning(dialect.read(message))) return [];
  return [dialect.edit(message, [{ type: "strip-reasoning", why: "old-reasoning" }])];
}
