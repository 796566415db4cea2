import type { ModelInfo } from "../../core/types.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";

/** Names that are warned of. Clients choose them: one that makes them up must fill neither memory nor log. */
const MAX_NAMES = 100;
/** Longer names are cut in the log (characters). */
const MAX_NAME = 200;

/** Told of a model whose window had to be guessed. */
export type WarnGuess = (info: Pick<ModelInfo, "id" | "window">, upstream: string) => void;

/**
 * Says once of each model that its window is a guess: a small one, so that nothing is sent that doesn't fit, but then most
 * of a conversation is hidden from a model that could have read it.
 */
export function createWarnGuess({
  log,
  metrics,
}: {
  readonly log: Log;
  readonly metrics: Metrics;
}): WarnGuess {
  const names = new Set<string>();
  return ({ id, window }, upstream) => {
    if (names.size >= MAX_NAMES || names.has(id)) return;
    names.add(id);
    metrics.guessedWindows.inc();
    const model = id.slice(0, MAX_NAME);
    log.warn(
      { model, upstream, window },
      `precis doesn't know the model ${model} and compacts its conversations for a window of ${window} tokens. Tell its window: upstreams[].windows in the config, such as { ${JSON.stringify(model)}: "128k" }, or --window 128k for all models`,
    );
  };
}
