import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model that writes its answers word by word, so that there is a middle of an answer. */
export interface TrickleProvider {
  readonly url: string;
  /** From now on answers stop after a few words, until they may go on. */
  hold(): void;
  goOn(): void;
  /** Breaks the connections of answers that are under way. */
  cut(): void;
  close(): Promise<void>;
}

/** Words that come before an answer is held. */
const HELD_AFTER = 6;

/** Speaks Chat Completions only. A word comes every `everyMs`. */
export async function startTrickleProvider({
  words,
  everyMs,
}: {
  readonly words: readonly string[];
  readonly everyMs: number;
}): Promise<TrickleProvider> {
  let isHeld = false;
  const underWay = new Set<ServerResponse>();
  const answer = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    let at = 0;
    const piece = (delta: object, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "gpt-4o", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    piece({ role: "assistant", content: "" });
    const timer = setInterval(() => {
      if (isHeld && at >= HELD_AFTER) return;
      const word = words[at];
      at += 1;
      if (word !== undefined) piece({ content: at === 1 ? word : ` ${word}` });
      else {
        clearInterval(timer);
        piece({}, "stop");
        response.end("data: [DONE]\n\n");
      }
    }, everyMs);
    underWay.add(response);
    response.on("close", () => {
      clearInterval(timer);
      underWay.delete(response);
    });
  };
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.method === "POST") answer(response);
      else {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ object: "list", data: [{ id: "gpt-4o", object: "model" }] }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    hold() {
      isHeld = true;
    },
    goOn() {
      isHeld = false;
    },
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
