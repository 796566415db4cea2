import { stringifyDeep } from "../../core/json.ts";
import type { Conversation } from "../../stores/server-store.ts";
import type { ApiConversation, ChatEvent, Progress } from "../api.ts";
import { toApi } from "../conversation/announcer.ts";
import { findConversation } from "../conversation/loaded.ts";
import { MOST_UNREAD_BYTES } from "../http/admit.ts";
import { apiError } from "../requests/describe-failure.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
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
const SEND_EVERY_MS = 100;

/** Long work as a stream of its progress and its answer. It ends when its page goes away. */
export function progressStream<T>(
  { gateway, signal }: Pick<ApiContext, "gateway" | "signal">,
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Response {
  return eventStream<Progress<T>>(signal, async (send) => {
    let sentAt = performance.now();
    try {
      const answer = await work((done, total) => {
        if (performance.now() - sentAt < SEND_EVERY_MS) return;
        sentAt = performance.now();
        send({ type: "progress", done, total });
      });
      send({ type: "done", answer });
    } catch (error) {
      if (signal.aborted) return;
      send({ type: "failed", error: apiError(gateway.log, error).error });
    }
  });
}

/** Tells other pages, and returns what it told. */
export function announced(
  { gateway, tenant, busy }: ApiContext,
  conversation: Conversation,
  change: "created" | "changed",
): ApiConversation {
  const shown = toApi(conversation, busy);
  gateway.live.send(tenant, { type: "conversation", change, conversation: shown });
  return shown;
}

/** Tells pages what a conversation is like now. */
export async function announce(context: ApiContext, id: string): Promise<void> {
  try {
    announced(context, await findConversation(context.gateway, context.tenant, id), "changed");
  } catch {
    // Deleted meanwhile: there is nothing to tell any more.
  }
}

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

/** How often pages that didn't ask for an answer see it grow (milliseconds). */
const SHOW_EVERY_MS = 250;

/** Pages that didn't ask see so much of an answer before it is done (characters). All of it is sent each time. */
const MOST_SHOWN = 200_000;

/** Shows an answer while it is written to pages that didn't ask for it: other tabs, and the same one after a reload. */
export function showAnswer(
  { live }: Pick<Telemetry, "live">,
  tenant: string,
  conversation: string,
): { take(event: ChatEvent): void; end(): void } {
  const topic = `answer ${conversation}`;
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    timer = undefined;
    live.show(tenant, topic, { type: "answer", conversation, text });
  };
  return {
    take(event) {
      if (event.type !== "text" || text.length >= MOST_SHOWN) return;
      text = (text + event.text).slice(0, MOST_SHOWN);
      timer ??= setTimeout(show, SHOW_EVERY_MS);
    },
    end() {
      clearTimeout(timer);
      live.endShow(tenant, topic);
    },
  };
}
