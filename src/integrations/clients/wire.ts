import type { CountingEndpoint } from "../../apis/shared/counting.ts";
import type { Dialect, FitResult } from "../../core/types.ts";
import type { Learned } from "../shared/send-fitted.ts";

/** A JSON object of a request or an answer. */
export type Json = Readonly<Record<string, unknown>>;

/** A request, read. */
export interface Asked {
  readonly model: string | undefined;
  readonly transcript: readonly unknown[];
  readonly system?: unknown;
  readonly tools: unknown;
  readonly cap: number | undefined;
}

/** One API of a provider, as far as a client needs it. */
export interface ClientWire {
  /** How the path of its requests ends. */
  readonly path: string;
  readonly dialect: Dialect<unknown>;
  /** Undefined for a request that must go as it is. */
  read(body: Json): Asked | undefined;
  /** The request with a view in place of its messages, and a cap on the answer that fits beside it. */
  write(body: Json, view: FitResult<unknown>, cap: number | undefined): Json;
  /** What an answer, or an event of its stream, tells about tokens. */
  learn(data: Json): Learned;
  readonly count?: CountingEndpoint;
  /** A refusal in the provider's own shape. */
  refusal(message: string): Json;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
