import { defined } from "../../core/defined.ts";
import type { Usage } from "../../core/types.ts";
import { count } from "./json.ts";

/** `Usage` out of whatever was reported; a provider that reports nothing gives zero. */
export function usageOf(fields: {
  readonly input: unknown;
  readonly output?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
}): Usage {
  return {
    input: count(fields.input) ?? 0,
    ...defined({
      output: count(fields.output),
      cacheRead: count(fields.cacheRead),
      cacheWrite: count(fields.cacheWrite),
    }),
  };
}
