import type { Progress } from "../api.ts";
import { apiError } from "../requests/describe-failure.ts";
import type { ApiContext } from "./context.ts";
import { eventStream } from "./event-stream.ts";

/** How often a page is told how far the work is (milliseconds). */
const TELL_EVERY_MS = 100;

/** Long work as a stream of its progress and its answer. It ends when its page goes away. */
export function progressStream<T>(
  { gateway, signal }: Pick<ApiContext, "gateway" | "signal">,
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Response {
  return eventStream<Progress<T>>(signal, async (send) => {
    let told = performance.now();
    try {
      const answer = await work((done, total) => {
        if (performance.now() - told < TELL_EVERY_MS) return;
        told = performance.now();
        send({ type: "progress", done, total });
      });
      send({ type: "done", answer });
    } catch (error) {
      if (signal.aborted) return;
      send({ type: "failed", error: apiError(gateway.log, error).error });
    }
  });
}
