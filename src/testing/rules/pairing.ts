import type { DialectId } from "../../core/types.ts";
import type { WireFacts, WireLink } from "./facts.ts";

/** Which result answers which call, by format. */

/** A call or a result that stands alone. */
interface PairFault {
  readonly kind: "unanswered-call" | "orphan-result";
  readonly at: number;
  readonly id: string;
}

/** Calls and results of a list of messages. */
export interface Pairs {
  readonly faults: readonly PairFault[];
  /** `position/kind/id` of a result → position of the message with its call. */
  readonly partners: ReadonlyMap<string, number>;
}

export function pairsOf(dialect: DialectId, facts: readonly WireFacts[]): Pairs {
  const faults: PairFault[] = [];
  const partners = new Map<string, number>();
  const pair = PAIRING[dialect] ?? pairDirect;
  pair(dialect, facts, faults, partners);
  return { faults, partners };
}

const key = (at: number, link: WireLink) => `${at}/${link.kind}/${link.id}`;

/** Chat, Anthropic, AI SDK: results stand in the run of result messages right behind the message with the calls. */
function pairDirect(
  dialect: DialectId,
  facts: readonly WireFacts[],
  faults: PairFault[],
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
  faults: PairFault[],
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
  faults: PairFault[],
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
