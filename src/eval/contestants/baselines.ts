import type { Contestant } from "../types.ts";
import { keepLast } from "./keep-last.ts";
import { middleOut } from "./middle-out.ts";
import { observationMasking } from "./observation-masking.ts";
import { withoutResults } from "./without-results.ts";

/** What people do without precis: every one of them needs no model and no network. */
export const baselines: readonly Contestant[] = [keepLast, withoutResults, middleOut, observationMasking];
