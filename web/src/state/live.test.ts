import { expect, it } from "vitest";
import { createApi } from "./api-client.ts";
import { openLive } from "./live.ts";

it("comes back after a break and asks for what it missed", async () => {
  const asked: (string | null)[] = [];
  const answers = [
    'id: 1\ndata: {"type":"hello","missed":false}\n\nid: 2\ndata: {"type":"settings"}\n\n',
    'id: 3\ndata: {"type":"settings"}\n\n',
  ];
  const fetcher = (async (_: unknown, init?: RequestInit) => {
    asked.push(new Headers(init?.headers).get("last-event-id"));
    const text = answers.shift();
    if (text === undefined) throw new TypeError("no connection");
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  }) as typeof fetch;
  const waits: number[] = [];
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    const live = openLive(createApi(fetcher), async (ms) => {
      waits.push(ms);
      if (waits.length === 4) {
        live.close();
        resolve();
      }
    });
    live.on(({ type }) => seen.push(type));
  });
  expect(asked.slice(0, 3)).toEqual([null, "2", "3"]);
  expect(seen).toEqual(["hello", "settings", "settings"]);
  // Good connections are tried again soon, failing ones less and less often.
  expect(waits).toEqual([500, 500, 1_000, 2_000]);
});
