import type { GatewayConfig } from "../../config/gateway-schema.ts";
import { contentHash } from "../../core/hash.ts";
import { memoryStore } from "../../stores/memory.ts";
import { type Compactors, createCompactors } from "./compactors.ts";
import { markedRecords } from "./marked-records.ts";
import type { WarnGuess, Windows } from "./windows.ts";

/** Compactions that are remembered before those of conversations not seen for longest are forgotten. */
const MAX_RECORDS = 5_000;

/**
 * The compactors of `observe`: they do what the others would, so that what they report is what would have happened, but
 * ask no model, keep what they did in memory alone, and tell nobody on the way. Their views are for reports.
 */
export function createObserving(options: {
  readonly config: GatewayConfig;
  readonly windows: Windows;
  readonly warnGuess: WarnGuess;
}): Compactors {
  const all = memoryStore({ maxRecords: MAX_RECORDS });
  return createCompactors({
    ...options,
    records: (tenant, mark) => markedRecords(all, contentHash(JSON.stringify([tenant, mark ?? ""]))),
    summarizer: () => undefined,
    listen() {},
  });
}
