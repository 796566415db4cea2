import { AsyncLocalStorage } from "node:async_hooks";
import type { Reason } from "../../core/types.ts";

/** Whom a compactor works for: one serves many conversations, and its events don't say which. */
export interface Behalf {
  readonly tenant: string;
  /** Undefined until it is in the store. */
  conversation(): string | undefined;
  /** Ends summaries that are being written for it, those in the background included. */
  readonly signal?: AbortSignal;
  /** Why its summaries are made, and in which request. */
  cause?(): { readonly reason?: string | undefined; readonly request?: string | undefined };
  onStarted?(reason: Reason): void;
  onFailed?(message: string): void;
}

const working = new AsyncLocalStorage<Behalf>();

/** Runs a compactor's work; what goes on in the background afterwards still knows whom it is for. */
export function onBehalfOf<T>(behalf: Behalf, work: () => T): T {
  return working.run(behalf, work);
}

export function currentBehalf(): Behalf | undefined {
  return working.getStore();
}
