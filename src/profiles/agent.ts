import type { Profile } from "../core/types.ts";

/** A coding agent: long runs of tool rounds, a token-sized tail of them, the current request always in view. */
export const agent: Profile = {
  name: "agent",
  strategy: "summarize-oldest",
  placement: "user",
  summary: { temperature: 0 },
  recall: { auto: true },
};
