import type { DialectId } from "../../core/types.ts";
import { judgeWire } from "../rules/judge-wire.ts";
import type { RuleKind } from "../rules/rules.ts";
import type { ProviderRefusal } from "./provider-refusal.ts";

/** How a provider says that a rule is broken: at which message, and by which calls. */
type Words = { readonly [K in RuleKind]?: (at: number, ids: readonly string[]) => ProviderRefusal };

/** Refuses the first message that breaks one of these rules of the rule book, in the provider's own words. */
export function demandRules(dialect: DialectId, messages: readonly unknown[], words: Words): void {
  const broken = judgeWire(dialect, messages).faults.filter(({ kind }) => words[kind] !== undefined);
  if (broken.length === 0) return;
  const first = broken.reduce((before, fault) => (fault.at < before.at ? fault : before));
  const ids = broken.filter(({ at, kind }) => at === first.at && kind === first.kind).map(({ id }) => id);
  throw words[first.kind]!(first.at, ids);
}
