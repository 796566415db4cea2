import type { DialectId } from "../../core/types.ts";
import type { WireFacts } from "./facts.ts";
import { pairsOf } from "./pairing.ts";
import { WIRE_READERS } from "./read-message.ts";
import { RULES, type RuleKind } from "./rules.ts";

/** Something for which a provider answers 400, and the position of the message that it would name. */
export interface WireFault {
  readonly kind: RuleKind;
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
  const pairs = pairsOf(dialect, facts);
  const faults = RULES.filter(({ of }) => !of || of.includes(dialect)).flatMap(({ kind, broken }) =>
    broken({ facts, pairs }).map(({ at, id = "" }) => ({ kind, at, id })),
  );
  return { facts, faults, partners: pairs.partners };
}
