import type { CompactorOptions } from "../core/types.ts";
import { windowOptions } from "../eval/replay/model-counting.ts";

/** The compactor's own cap where the command says how small. */
const UNCAPPED = 1_000_000_000;

/** Counts as the model that a file names does, as `replay` and the page do, so that a file has one size everywhere. */
export function countedAs(
  model: string | undefined,
  window?: number,
): Pick<CompactorOptions<unknown>, "window" | "models" | "budget"> {
  if (model === undefined || model === "") return window === undefined ? { budget: UNCAPPED } : { window };
  return windowOptions(model, window ?? UNCAPPED);
}
