import { EventEmitter, once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";

/** A model that writes its answers word by word and stops where it is told to, so that there is a middle of an answer. */
export interface TrickleProvider {
  readonly url: string;
  /** From now on answers stop after so many words, until they may go on. */
  hold(words?: number): void;
  goOn(): void;
  /** Breaks the connections of answers that are under way. */
  cut(): void;
  close(): Promise<void>;
}

/** Words that come before an answer is held, unless told otherwise. */
const HELD_AFTER = 6;

/** Speaks Chat Completions only. With `everyMs` a word comes so often (benchmarks), without it as soon as it can. */
export async function startTrickleProvider({
  words,
  everyMs,
}: {
  readonly words: readonly string[];
  readonly everyMs?: number;
}): Promise<TrickleProvider> {
  let heldAfter = Number.POSITIVE_INFINITY;
  const told = new EventEmitter().setMaxListeners(0);
  const tell = (wordsAtMost: number): void => {
    heldAfter = wordsAtMost;
    told.emit("held");
  };
  const underWay = new Set<ServerResponse>();
  const answer = async (response: ServerResponse): Promise<void> => {
    underWay.add(response);
    response.on("close", () => {
      underWay.delete(response);
      told.emit("held");
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const piece = (delta: object, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "gpt-4o", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    piece({ role: "assistant", content: "" });
    for (const [at, word] of words.entries()) {
      while (at >= heldAfter && underWay.has(response)) await once(told, "held");
      if (!underWay.has(response)) return;
      piece({ content: at === 0 ? word : ` ${word}` });
      await (everyMs === undefined ? nextTurn() : pause(everyMs));
    }
    piece({}, "stop");
    response.end("data: [DONE]\n\n");
  };
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.method === "POST") void answer(response);
      else {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ object: "list", data: [{ id: "gpt-4o", object: "model" }] }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    hold: (afterWords = HELD_AFTER) => tell(afterWords),
    goOn: () => tell(Number.POSITIVE_INFINITY),
    cut() {
      for (const response of underWay) response.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
