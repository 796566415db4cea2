import type { LiveEvent } from "../api.ts";
import type { ApiContext } from "./context.ts";
import { eventStream } from "./event-stream.ts";

/** `/api/events`: what happens, as it happens; after a lost connection from where it was. */
export async function liveStream({ gateway, tenant, headers, signal }: ApiContext): Promise<Response> {
  const lastId = headers["last-event-id"];
  return eventStream<LiveEvent>(signal, (send) => {
    const listening = gateway.live.listen(
      tenant,
      typeof lastId === "string" && lastId !== "" ? lastId : undefined,
      ({ id, event }) => send(event, id),
    );
    send({ type: "hello", missed: listening.missed });
    for (const { id, event } of listening.replay) send(event, id);
    return new Promise<void>((resolve) => {
      signal.addEventListener(
        "abort",
        () => {
          listening.stop();
          resolve();
        },
        { once: true },
      );
    });
  });
}
