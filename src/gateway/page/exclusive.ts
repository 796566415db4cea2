import { announce } from "./announced.ts";
import type { ApiContext } from "./context.ts";

/** Runs work that nothing else may run beside, and tells pages that it has begun and, whatever came of it, ended. */
export async function exclusive<T>(
  context: ApiContext,
  id: string,
  kind: "answering" | "compacting",
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await context.busy.run(id, kind, async (signal) => {
      await announce(context, id);
      return work(signal);
    });
  } finally {
    await announce(context, id);
  }
}
