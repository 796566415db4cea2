import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Entry, FitResult } from "../../src/core/types.ts";
import { judgeWire } from "../../src/testing/index.ts";
import { judgeReceipt } from "./judge-receipt.ts";
import { type Look, look } from "./look.ts";
import { lostReasoning } from "./reasoning-rules.ts";
import type { Wire } from "./wires.ts";

/** A view, what it was made from, and what it must show. */
export interface Claim {
  readonly dialect: string;
  readonly wire: Wire;
  /** Tokens that the view may take. */
  readonly budget: number;
  readonly pins?: readonly number[];
  readonly result: FitResult<object>;
}

/** OpenAI's chat format, "How to count tokens": three tokens for each message, one for its role. */
const MESSAGE_TOKENS = 4;
/** A picture with `detail: "low"`; no provider takes less for one of any use. */
const IMAGE_TOKENS = 85;

/** Names, ids and channels around a call and around a result (tokens). */
const CALL_TOKENS = 8;

/** What a picture takes more where its detail isn't "low": a tile (tokens). */
const TILE_TOKENS = 170;

/** Everything that a provider, or the host, would find wrong with the view. */
export function judgeView(claim: Claim): string[] {
  const { dialect, wire, result } = claim;
  const originals = wire.messages.map((message) => look(dialect, message));
  const shown = result.messages.map((message) => look(dialect, message));
  return [
    ...newFaults(faultsOf(dialect, wire.messages), faultsOf(dialect, result.messages)),
    ...judgeReceipt(wire, result, originals, shown),
    ...mustShow(claim, originals, shown),
    ...lostReasoning(dialect, wire.messages, result),
    ...sizeFaults(claim, shown),
  ];
}

/** Faults without their positions, so that those of a view can be compared with those of its transcript. */
function faultsOf(dialect: string, messages: readonly object[]): string[] {
  const { facts, faults } = judgeWire(dialect, messages);
  // Providers take them, but no result of these conversations is empty.
  const empty = facts.flatMap(({ results }) => results.filter(({ text }) => text.trim() === ""));
  return [
    ...faults.map(({ kind, id }) => `${kind} ${id}`),
    ...empty.map(({ id }) => `an empty result of ${id}`),
  ];
}

/** Faults of the view that its transcript doesn't have, each as often as it is new. */
function newFaults(transcript: readonly string[], view: readonly string[]): string[] {
  const left = [...transcript];
  return view.filter((fault) => {
    const at = left.indexOf(fault);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The least that a message can take. */
export function leastTokens({ texts, calls, results, images }: Look): number {
  const pieces = [...texts, ...calls.map(({ text }) => text), ...results.map(({ text }) => text)];
  return pieces.reduce((sum, text) => sum + tokensOf(text), MESSAGE_TOKENS + images * IMAGE_TOKENS);
}

/** The most that a message can take, its ids and its reasoning included. */
export const mostTokens = (each: Look): number =>
  leastTokens(each) +
  each.images * TILE_TOKENS +
  [...each.calls, ...each.results].reduce((sum, { id }) => sum + CALL_TOKENS + tokensOf(id), 0) +
  each.thoughts.reduce((sum, thought) => sum + tokensOf(thought), 0);

export const tokensOf = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });

function sizeFaults({ budget, result }: Claim, shown: readonly Look[]): string[] {
  const system = result.system === undefined ? 0 : tokensOf(textOfSystem(result.system));
  const tokens = shown.reduce((sum, each) => sum + leastTokens(each), system);
  return tokens > budget ? [`${tokens} tokens for a budget of ${budget}`] : [];
}

function textOfSystem(system: unknown): string {
  if (typeof system === "string") return system;
  return (system as { text: string }[]).map(({ text }) => text).join("\n");
}

/** System prompt, last user message and pins, word for word; the end stays the end. */
function mustShow(
  { wire, pins = [], result }: Claim,
  originals: readonly Look[],
  shown: readonly Look[],
): string[] {
  const faults: string[] = [];
  const first = originals[0]?.role === "system" ? originals[0].texts.join("") : undefined;
  if (first !== undefined && !(shown[0]?.role === "system" && shown[0].texts.join("").startsWith(first)))
    faults.push("the system prompt isn't the first thing");
  if (wire.system !== undefined && !textOfSystem(result.system ?? "").startsWith(wire.system))
    faults.push("the system prompt isn't the first thing");

  const asked = originals.findLastIndex(({ role, texts }) => role === "user" && texts.length > 0);
  for (const index of asked < 0 ? pins : [asked, ...pins]) {
    const { texts } = originals[index]!;
    const whole = (each: Look) => texts.every((text) => each.texts.some((own) => own.includes(text)));
    const entry = result.report.entries.find((each) => each.type !== "insert" && each.index === index);
    if (entry === undefined || entry.type === "drop") faults.push(`message ${index} must be shown`);
    else if (entry.type === "edit" && !shown.some(whole))
      faults.push(`message ${index} must be shown word for word`);
    else if (pins.includes(index) && entry.type !== "keep" && !onlyAppended(entry))
      faults.push(`message ${index} is pinned and was changed`);
  }
  return faults;
}

const onlyAppended = (entry: Entry): boolean =>
  entry.type === "edit" && entry.edits.every(({ type }) => type === "append" || type === "strip-reasoning");
