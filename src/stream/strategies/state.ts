import type { StreamStrategy } from "./strategy.ts";

/** A list of steps, rendered by code, in the system message; the model isn't asked. */
export const state: StreamStrategy = {
  name: "state",
  asks: false,
  plan: () => ({ type: "restart", head: "steps", keepSeconds: 0, lastUserTurn: false }),
};
