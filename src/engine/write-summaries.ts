import type { Run } from "../core/types.ts";
import type { Call } from "./decide.ts";
import type { Written } from "./engine.ts";

/** PLACEHOLDER until the summariser ladder is wired. */
export async function writeSummaries<M>(_call: Call<M>, _run: Run, _signal: AbortSignal): Promise<Written> {
  throw new Error("not wired yet");
}
