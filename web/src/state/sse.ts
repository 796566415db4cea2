import { EventSourceParserStream } from "eventsource-parser/stream";

/** One server-sent event. */
export interface ServerEvent {
  /** The newest id that the server has told, which is where a new connection goes on. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads server-sent events from the body of an answer, however the bytes are cut. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  let id: string | undefined;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      id = value.id ?? id;
      yield { id, data: value.data };
    }
  } finally {
    // Ends the request when the consumer leaves early.
    await reader.cancel().catch(() => undefined);
  }
}
