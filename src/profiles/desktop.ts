import type { Profile } from "../core/types.ts";

/** A desktop chat: as many of the newest messages as fit, the rest summarised. Give it `budget: 50_000`, its usual target. */
export const desktop: Profile = {
  name: "desktop",
  strategy: "summarize-oldest",
  tail: { share: 0.8 },
  placement: "system",
};
