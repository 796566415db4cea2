import type { Profile } from "../core/types.ts";

/** Tokens that a desktop chat aims at, whatever the model could take. */
const TARGET = 50_000;

/** A desktop chat with a cheap summariser of its own: as many of the newest messages as fit, the rest summarised. */
export const desktop: Profile & { readonly budget: number } = {
  name: "desktop",
  strategy: "summarize-oldest",
  budget: TARGET,
  startAt: 1,
  tail: { share: 0.8 },
  placement: "system",
  summary: { cap: 1_000, temperature: 0.3, merge: "rolling" },
  recall: { auto: true },
};
