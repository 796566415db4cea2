import type { Contestant, EvalCase } from "../types.ts";

/** The summary that the agent's own compaction wrote at this point of the session. */
export function recorded(evalCase: EvalCase): Contestant {
  return {
    id: "recorded",
    label: "recorded summary",
    view: () => (evalCase.type === "agent" ? (evalCase.recorded ?? "") : ""),
  };
}
