import type { DialectId } from "../../core/types.ts";
import { judgeWire } from "../rules/judge-wire.ts";
import type { RuleKind } from "../rules/rules.ts";
import type { FakeApi } from "./types.ts";

/** A refusal in the provider's own words. */
export class ProviderRefusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;

  constructor(
    message: string,
    fields: { status?: number; type?: string; param?: string | null; code?: string | null } = {},
  ) {
    super(message);
    this.status = fields.status ?? 400;
    this.type = fields.type ?? "invalid_request_error";
    this.param = fields.param ?? null;
    this.code = fields.code ?? null;
  }
}

/** Google's names for statuses. */
const GOOGLE: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** The body of a refusal, in the API's own shape. */
export function faultBody(api: FakeApi, fault: ProviderRefusal, requestId: string): unknown {
  if (api === "messages")
    return { type: "error", error: { type: fault.type, message: fault.message }, request_id: requestId };
  if (api === "gemini")
    return {
      error: { code: fault.status, message: fault.message, status: GOOGLE[fault.status] ?? "INTERNAL" },
    };
  return { error: { message: fault.message, type: fault.type, param: fault.param, code: fault.code } };
}

/** Throws the refusal unless the condition holds. */
export function demand(
  condition: unknown,
  message: string,
  fields?: ConstructorParameters<typeof ProviderRefusal>[1],
): asserts condition {
  if (!condition) throw new ProviderRefusal(message, fields);
}

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
