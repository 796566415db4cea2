import type { DialectId } from "../../core/types.ts";
import type { WireFacts, WireLink } from "./facts.ts";
import { WIRE_READERS } from "./read-wire.ts";

/** Something for which a provider answers 400, and the position of the message that it would name. */
export interface WireFault {
  readonly kind:
    | "unanswered-call"
    | "orphan-result"
    | "text-before-result"
    | "empty-message"
    | "first-role"
    | "ends-with-assistant"
    | "dangling-reasoning"
    | "missing-signature"
    | "no-messages";
  readonly at: number;
  readonly id: string;
}

/** A list of wire messages as its provider judges it. */
export interface WireJudgement {
  readonly facts: readonly WireFacts[];
  readonly faults: readonly WireFault[];
  /** `position/kind/id` of a result → position of the message with its call. */
  readonly partners: ReadonlyMap<string, number>;
}

/** What one message is on the wire. */
export function wireFacts(dialect: DialectId, message: unknown): WireFacts {
  const reader = WIRE_READERS[dialect];
  if (reader === undefined) throw new Error(`No wire reader for the dialect "${dialect}".`);
  return reader(message);
}

/** Everything that the provider of this dialect would refuse in this list. */
export function judgeWire(dialect: DialectId, messages: readonly unknown[]): WireJudgement {
  const facts = messages.map((message) => wireFacts(dialect, message));
  const faults: WireFault[] = [];
  const partners = new Map<string, number>();
  const pair = PAIRING[dialect] ?? pairDirect;
  pair(dialect, facts, faults, partners);
  for (const [at, fact] of facts.entries()) {
    if (fact.textBeforeResult) faults.push({ kind: "text-before-result", at, id: "" });
    if (isEmpty(fact)) faults.push({ kind: "empty-message", at, id: "" });
  }
  const first = facts.findIndex((fact) => fact.role !== "system");
  if (FIRST_IS_USER.has(dialect) && first >= 0 && facts[first]?.role !== "user")
    faults.push({ kind: "first-role", at: first, id: "" });
  if (facts.at(-1)?.role === "assistant")
    faults.push({ kind: "ends-with-assistant", at: facts.length - 1, id: "" });
  if (first < 0) faults.push({ kind: "no-messages", at: -1, id: "" });
  if (dialect === "openai-responses") findDanglingReasoning(facts, faults);
  if (dialect === "gemini-contents") findMissingSignatures(facts, faults);
  return { facts, faults, partners };
}

/** Nothing that a model could read: providers refuse such a message, or answer it with confusion. */
export function isEmpty(fact: WireFacts): boolean {
  return (
    fact.calls.length + fact.results.length + fact.media + fact.reasoning === 0 &&
    fact.texts.every((text) => text.trim() === "")
  );
}

const key = (at: number, link: WireLink) => `${at}/${link.kind}/${link.id}`;

/** Chat, Anthropic, AI SDK: results stand in the run of result messages right behind the message with the calls. */
function pairDirect(
  dialect: DialectId,
  facts: readonly WireFacts[],
  faults: WireFault[],
  partners: Map<string, number>,
): void {
  const carriesResults = (fact: WireFacts | undefined) =>
    fact !== undefined && (fact.role === "tool" || fact.results.length > 0);
  for (let at = 0; at < facts.length; at++) {
    const fact = facts[at]!;
    // Anthropic looks into the very next message only; the others take a run of tool messages.
    const end = (start: number) => {
      let stop = start;
      while (carriesResults(facts[stop])) {
        stop++;
        if (dialect === "anthropic-messages") break;
      }
      return stop;
    };
    if (fact.calls.length > 0) {
      const answered = new Set<string>();
      for (let next = at + 1; next < end(at + 1); next++)
        for (const result of facts[next]!.results) {
          answered.add(result.id);
          if (fact.calls.some((call) => call.id === result.id)) partners.set(key(next, result), at);
        }
      for (const call of fact.calls)
        if (!answered.has(call.id)) faults.push({ kind: "unanswered-call", at, id: call.id });
    }
  }
  for (const [at, fact] of facts.entries())
    for (const result of fact.results)
      if (!partners.has(key(at, result))) faults.push({ kind: "orphan-result", at, id: result.id });
}

/**
 * Responses: an output may stand anywhere behind its call. Where an id repeats, the nearest open call is meant;
 * a second answer belongs to the first if it comes in the same run.
 */
function pairAnywhere(
  dialect: DialectId,
  facts: readonly WireFacts[],
  faults: WireFault[],
  partners: Map<string, number>,
): void {
  const open: { readonly at: number; readonly call: WireLink }[] = [];
  /** Calls that were answered in the run of results that goes on. */
  let answered = new Map<string, number>();
  const take = (result: WireLink): number | undefined => {
    let found = open.findLastIndex(({ call }) => call.kind === result.kind && call.id === result.id);
    if (found < 0 && IDS_OPTIONAL.has(dialect))
      found = open.findLastIndex(({ call }) => call.name === result.name);
    return found < 0 ? undefined : open.splice(found, 1)[0]?.at;
  };
  for (const [at, fact] of facts.entries()) {
    if (fact.results.length === 0) answered = new Map();
    for (const call of fact.calls) open.push({ at, call });
    for (const result of fact.results) {
      const name = `${result.kind}/${result.id}`;
      const partner = take(result) ?? answered.get(name);
      if (partner === undefined) faults.push({ kind: "orphan-result", at, id: result.id });
      else {
        partners.set(key(at, result), partner);
        answered.set(name, partner);
      }
    }
  }
  for (const { at, call } of open) faults.push({ kind: "unanswered-call", at, id: call.id });
}

/** Formats in which the names of functions tie results to calls where ids don't. */
const IDS_OPTIONAL = new Set<DialectId>(["gemini-contents"]);

/** Each result with the nearest earlier call of its id that is still open, wherever that stands. */
export function pairsAnywhere(dialect: DialectId, facts: readonly WireFacts[]): ReadonlyMap<string, number> {
  const partners = new Map<string, number>();
  pairAnywhere(dialect, facts, [], partners);
  return partners;
}

/**
 * Gemini: results stand in the run of messages right behind the run with the calls. Ids are optional: what no id of the
 * run tells, the names and the order tell.
 */
function pairByName(
  _dialect: DialectId,
  facts: readonly WireFacts[],
  faults: WireFault[],
  partners: Map<string, number>,
): void {
  let calls: { readonly at: number; readonly call: WireLink }[] = [];
  let results: { readonly at: number; readonly result: WireLink }[] = [];
  const pair = (fits: (call: WireLink, result: WireLink) => boolean) => {
    results = results.filter(({ at, result }) => {
      const found = calls.findIndex(({ call }) => fits(call, result));
      if (found >= 0) partners.set(key(at, result), calls.splice(found, 1)[0]!.at);
      return found < 0;
    });
  };
  const settle = () => {
    pair((call, result) => call.id === result.id);
    pair((call, result) => call.name === result.name);
    for (const { at, result } of results) faults.push({ kind: "orphan-result", at, id: result.id });
    for (const { at, call } of calls) faults.push({ kind: "unanswered-call", at, id: call.id });
    calls = [];
    results = [];
  };
  for (const [at, fact] of facts.entries()) {
    const goesOn = fact.role === "assistant" ? facts[at - 1]?.role === "assistant" : fact.results.length > 0;
    if (!goesOn) settle();
    for (const call of fact.calls) calls.push({ at, call });
    for (const result of fact.results) results.push({ at, result });
  }
  settle();
}

const PAIRING: Readonly<Record<string, typeof pairDirect>> = {
  "openai-responses": pairAnywhere,
  "gemini-contents": pairByName,
};

/** Formats whose first message must be the user's. */
const FIRST_IS_USER = new Set<DialectId>(["anthropic-messages", "gemini-contents"]);

/** In the turn that is under way, the first call of each message carries a signature. */
function findMissingSignatures(facts: readonly WireFacts[], faults: WireFault[]): void {
  const said = facts.findLastIndex(
    (fact) =>
      fact.role === "user" &&
      fact.results.length === 0 &&
      (fact.media > 0 || fact.words.some((text) => text.trim() !== "")),
  );
  for (const [at, fact] of facts.entries())
    if (at > said && fact.calls.length > 0 && !fact.callSigned)
      faults.push({ kind: "missing-signature", at, id: "" });
}

/** A reasoning item must be followed by the item that it led to. */
function findDanglingReasoning(facts: readonly WireFacts[], faults: WireFault[]): void {
  for (const [at, fact] of facts.entries()) {
    if (fact.reasoning === 0) continue;
    let next = at + 1;
    while ((facts[next]?.reasoning ?? 0) > 0) next++;
    if (facts[next]?.role !== "assistant") faults.push({ kind: "dangling-reasoning", at, id: "" });
  }
}
