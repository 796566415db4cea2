import { overflowOfError } from "../shared/send-fitted.ts";

/** The end of an answer, whole or streamed. */
export interface AnswerEnd {
  readonly usage?: unknown;
  readonly finishReason?: unknown;
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A part of a model's stream. */
export interface StreamPart extends AnswerEnd {
  readonly type: string;
  readonly error?: unknown;
}

/** Parts that say nothing yet about whether the request was accepted. */
const BEFORE_ANSWER = ["stream-start", "response-metadata", "raw"];

/**
 * Reads the beginning of a stream: some providers accept a request that is too long and say so in the stream's first part.
 * That is thrown, as it would be for a refusal. Otherwise the result is the whole stream.
 */
export async function peekStream(stream: ReadableStream<StreamPart>): Promise<ReadableStream<StreamPart>> {
  const reader = stream.getReader();
  const begun: StreamPart[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (value) begun.push(value);
    if (value?.type === "error" && overflowOfError(value.error)) {
      await reader.cancel();
      throw value.error;
    }
    if (done || !BEFORE_ANSWER.includes(value.type)) break;
  }
  return new ReadableStream<StreamPart>({
    start(controller) {
      for (const part of begun) controller.enqueue(part);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The same stream; its `finish` part is handed to `atEnd`, which may add to it. */
export function watchStream(
  stream: ReadableStream<StreamPart>,
  atEnd: (part: StreamPart) => Promise<StreamPart>,
): ReadableStream<StreamPart> {
  return stream.pipeThrough(
    new TransformStream<StreamPart, StreamPart>({
      async transform(part, controller) {
        controller.enqueue(part.type === "finish" ? await atEnd(part) : part);
      },
    }),
  );
}
