import { largeResults } from "./large-results.ts";
import { oldImages } from "./old-images.ts";
import { oldReasoning } from "./old-reasoning.ts";
import { oldRetrieval } from "./old-retrieval.ts";
import type { Reduction } from "./reduction.ts";
import { supersededResults } from "./superseded-results.ts";

/** All reductions, in the order in which they are applied: what loses least comes first, what goes by the allowance last. */
export const reductions: readonly Reduction[] = [
  oldImages,
  oldReasoning,
  supersededResults,
  oldRetrieval,
  largeResults,
];
