import type { Model, ModelReply, ModelRequest, TokenCounter } from "../../core/types.ts";
import { modelInfo } from "../../tokens/model-info.ts";

/** What a model is asked for in an exam. */
export type Role = "summarizer" | "writer" | "reader" | "judge";

/** Requests and tokens of one role, and US dollars where the model's prices are known. */
export interface Expense {
  readonly role: Role;
  readonly model: string;
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly dollars?: number;
}

export interface Spending {
  add(role: Role, request: ModelRequest, reply: ModelReply): void;
  /** What was spent so far, roles that asked nothing left out. */
  all(): Expense[];
}

const PER_MILLION = 1_000_000;

/** An expense with its price. */
export function expense(
  role: Role,
  model: string,
  amount: { readonly requests: number; readonly input: number; readonly output: number },
): Expense {
  const { prices } = modelInfo(model);
  const { requests, input, output } = amount;
  return {
    role,
    model,
    requests,
    input: Math.round(input),
    output: Math.round(output),
    ...(prices && { dollars: (input * prices.input + output * prices.output) / PER_MILLION }),
  };
}

/** Adds up what models report. Where one reports nothing, its tokens are counted. */
export function createSpending(
  models: Readonly<Partial<Record<Role, Model>>>,
  counter: TokenCounter,
): Spending {
  const totals = new Map<Role, { requests: number; input: number; output: number }>();
  return {
    add(role, request, { usage, text }) {
      const total = totals.get(role) ?? { requests: 0, input: 0, output: 0 };
      totals.set(role, total);
      total.requests += 1;
      total.input += usage.input > 0 ? usage.input : requestTokens(request, counter);
      total.output += usage.output ?? counter.count(text);
    },
    all: () => [...totals].map(([role, total]) => expense(role, models[role]?.id ?? "", total)),
  };
}

export function requestTokens({ system, messages }: ModelRequest, counter: TokenCounter): number {
  const texts = [system ?? "", ...messages.map((message) => message.text)];
  return texts.reduce((sum, text) => sum + counter.count(text), 0);
}
