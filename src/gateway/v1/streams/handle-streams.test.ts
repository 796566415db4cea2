import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { handleStreams } from "./handle-streams.ts";
import type { LiveStream, StreamNews } from "./live-stream.ts";

it("who watches a stream and reads nothing is cut off before the memory is full", async () => {
  let tell: (news: StreamNews) => void = () => {};
  const watched = {
    tenant: "t",
    usedAt: 0,
    trace: [],
    lines: 0,
    unsaved: [],
    inTurn: (work: () => Promise<unknown>) => work(),
    watch(listener: typeof tell) {
      tell = listener;
      return () => {};
    },
  } as unknown as LiveStream;
  // Nobody reads: everything that is written waits.
  const response = {
    writableLength: 0,
    destroyed: false,
    writeHead: () => {},
    flushHeaders: () => {},
    on: () => {},
    once: () => {},
    write(text: string) {
      response.writableLength += text.length;
    },
    destroy() {
      response.destroyed = true;
    },
  };
  const parts = { streams: new Map([["s", watched]]), now: () => 1, limitStreams: () => {} };
  await handleStreams(
    parts as unknown as Parameters<typeof handleStreams>[0],
    {
      request: { method: "GET" } as IncomingMessage,
      response: response as unknown as ServerResponse,
      client: { tenant: "t" } as Parameters<typeof handleStreams>[1]["client"],
    },
    "/v1/streams/s/events",
  );
  const said = { text: "x".repeat(1024 * 1024) } as unknown as Extract<StreamNews, { type: "said" }>["said"];
  for (let count = 0; count < 40; count++) tell({ type: "said", said });
  expect(response.destroyed).toBe(true);
  expect(response.writableLength).toBeLessThan(18 * 1024 * 1024);
});
