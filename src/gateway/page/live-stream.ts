import type { LiveEvent } from "../api.ts";
import type { ApiContext } from "./context.ts";
import { eventStream } from "./event-stream.ts";

/** `/api/events`: what happens, as it happens; after a lost connection from where it was. */
export async function liveStream({ gateway, tenant, headers, signal }: ApiContext): Promise<Response> {
  const lastId = headers["last-event-id"];
  // A server that is about to stop lets its pages go, so that they find the next one.
  const end = AbortSignal.any([signal, gateway.draining]);
  return eventStream<LiveEvent>(signal, (send) => {
    const listening = gateway.live.listen(
      tenant,
      typeof lastId === "string" && lastId !== "" ? lastId : undefined,
      ({ id, event }) => send(event, id),
    );
    const start = listening.replay.length === 0 || lastId === undefined ? listening.id : String(lastId);
    send({ type: "hello", missed: listening.missed }, start);
    for (const { id, event } of listening.replay) send(event, id);
    return new Promise<void>((resolve) => {
      const stop = (): void => {
        listening.stop();
        resolve();
      };
      if (end.aborted) stop();
      else end.addEventListener("abort", stop, { once: true });
    });
  });
}
