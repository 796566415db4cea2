import type { Measure } from "../../core/types.ts";
import { createMeasure, exactCounter } from "../../tokens/index.ts";
import type { CompactorChoice } from "./compactors.ts";
import type { Windows } from "./windows.ts";

/** Counts messages as the compactor of a conversation does, before calibration. */
export async function measureOf(
  { windows }: { readonly windows: Windows },
  { upstream, model, tenant }: CompactorChoice,
): Promise<Measure> {
  const info = windows.of(upstream, model, tenant);
  return createMeasure({
    counter: await exactCounter(info.encoding),
    factor: info.factor,
    images: info.images,
  });
}
