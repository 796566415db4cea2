import type { StreamStrategy } from "./strategy.ts";

/** Begins anew with the head and the user's newest turn. */
export const dropAll: StreamStrategy = {
  name: "drop-all",
  asks: false,
  plan: () => ({ type: "restart", head: "plain", keepSeconds: 0, lastUserTurn: true }),
};
