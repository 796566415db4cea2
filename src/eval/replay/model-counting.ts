import type { CompactorOptions, Measure } from "../../core/types.ts";
import { createMeasure, exactCounter, modelInfo } from "../../tokens/index.ts";

/** How a session is counted: as the model that it names counts, if the registry knows it. */
export interface ModelCounting {
  /** Undefined if no model is named, or one that nobody knows. */
  readonly model: string | undefined;
  /** The model's window. */
  readonly window: number | undefined;
  readonly measure: Measure;
}

export async function modelCounting(named: string | undefined): Promise<ModelCounting> {
  const info = named === undefined ? undefined : modelInfo(named);
  const known = info?.known === true ? info : undefined;
  return {
    model: known && named,
    window: known?.window,
    measure: createMeasure({
      counter: await exactCounter(known?.encoding ?? "o200k_base"),
      ...(known && { factor: known.factor, images: known.images }),
    }),
  };
}

/** What tells a compactor to count as a model does, in a window of this size. */
export const windowOptions = (
  model: string | undefined,
  window: number,
): Pick<CompactorOptions<unknown>, "window" | "models"> =>
  model === undefined ? { window } : { window: { model }, models: { [model]: { window } } };
