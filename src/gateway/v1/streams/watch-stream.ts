import type { ServerResponse } from "node:http";
import { INERT } from "../../http/headers.ts";
import type { LiveStream, StreamNews } from "./live-stream.ts";

/** Tells everything that was done to a stream's cache, and goes on as it happens. */
export function watchStream(stream: LiveStream, response: ServerResponse): number {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...INERT });
  const tell = (news: StreamNews): void =>
    void response.write(
      `event: ${news.type}\ndata: ${JSON.stringify(news.type === "said" ? news.said : news.managed)}\n\n`,
    );
  for (const managed of stream.trace) tell({ type: "managed", managed });
  response.on("close", stream.watch(tell));
  // The headers must not wait for the first of it.
  response.flushHeaders();
  return 200;
}
