import { stringifyDeep } from "../../core/json.ts";
import type { Progress } from "../api.ts";
import { MOST_UNREAD_BYTES } from "../http/admit.ts";
import { apiError } from "../requests/describe-failure.ts";
import type { ApiContext } from "./context.ts";

/** Sent now and then so that proxies don't take a quiet stream for a dead one (milliseconds). */
const HEARTBEAT_MS = 15_000;

/** A `Response` of server-sent events. `work` sends them; the stream ends with it. */
export function eventStream<E>(
  signal: AbortSignal,
  work: (send: (event: E, id?: string) => void) => Promise<void>,
): Response {
  const encoder = new TextEncoder();
  let count = 0;
  let closed = false;
  const source = {
    async start(controller: ReadableStreamDefaultController<Uint8Array>) {
      const write = (text: string): void => {
        if (closed) return;
        try {
          const isBehind = -(controller.desiredSize ?? 0) > MOST_UNREAD_BYTES;
          if (isBehind) throw new Error("precis: a client that reads no events was cut off");
          controller.enqueue(encoder.encode(text));
        } catch (error) {
          closed = true;
          controller.error(error);
        }
      };
      const heartbeat = setInterval(() => write(": still here\n\n"), HEARTBEAT_MS);
      signal.addEventListener("abort", () => {
        closed = true;
      });
      try {
        await work((event, id) => write(`id: ${id ?? ++count}\ndata: ${stringifyDeep(event)}\n\n`));
      } finally {
        clearInterval(heartbeat);
        const wasClosed = closed;
        closed = true;
        if (!wasClosed) controller.close();
      }
    },
    cancel() {
      closed = true;
    },
  };
  const body = new ReadableStream<Uint8Array>(source, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" },
  });
}

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
