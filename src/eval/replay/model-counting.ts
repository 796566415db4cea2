import type { CompactorOptions, Measure } from "../../core/types.ts";
import { createMeasure, exactCounter, modelInfo } from "../../tokens/index.ts";

/** How a session is counted: as the model that it names counts. */
export interface ModelCounting {
  /** Undefined if no model is named. */
  readonly model: string | undefined;
  /** The model's window; undefined for a model that nobody knows. */
  readonly window: number | undefined;
  readonly measure: Measure;
}

/** What of an unknown model is guessed is guessed as the gateway does it, so that a file has one size everywhere. */
export async function modelCounting(named: string | undefined): Promise<ModelCounting> {
  const info = named === undefined || named === "" ? undefined : modelInfo(named);
  return {
    model: info && named,
    window: info?.known === true ? info.window : undefined,
    measure: createMeasure({
      counter: await exactCounter(info?.encoding ?? "o200k_base"),
      ...(info && { factor: info.factor, images: info.images }),
    }),
  };
}

/** What tells a compactor to count as a model does, in a window of this size. */
export const windowOptions = (
  model: string | undefined,
  window: number,
): Pick<CompactorOptions<unknown>, "models"> & Required<Pick<CompactorOptions<unknown>, "window">> =>
  model === undefined ? { window } : { window: { model }, models: { [model]: { window } } };
