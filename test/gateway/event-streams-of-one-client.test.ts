import { afterEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const MOST = 3;
const NOWHERE = upstreamAt("http://127.0.0.1:1/v1");
let gateway: Awaited<ReturnType<typeof startGateway>>;
const opened: AbortController[] = [];
afterEach(async () => {
  for (const controller of opened.splice(0)) controller.abort();
  await gateway.close();
});

async function open(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const controller = new AbortController();
  opened.push(controller);
  return fetch(`${gateway.url}${path}`, { headers, signal: controller.signal });
}

/** Closing is told to the server by the network, so it may take a moment. */
async function openAgain(path: string): Promise<number> {
  for (;;) {
    const { status } = await open(path);
    if (status !== 429) return status;
    opened.pop();
  }
}

it("one client can't open streams of events without end", async () => {
  gateway = await startGateway(NOWHERE, { mostStreams: MOST });
  const stream = (await (
    await post(`${gateway.url}/v1/streams`, { window: 4_096, strategy: "summarize-and-drop" })
  ).json()) as {
    id: string;
  };
  const own = `/v1/streams/${stream.id}/events`;
  for (const path of ["/api/events", own, "/api/events"]) expect((await open(path)).status).toBe(200);
  for (const path of ["/api/events", own]) {
    const refused = await open(path);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("too-many-streams");
    expect(error.message).toMatch(/3 streams of events.*Close some/);
  }
  // Everything else is served, and a stream that ends makes room for another.
  expect((await open("/api/status")).status).toBe(200);
  opened[0]!.abort();
  expect(await openAgain("/api/events")).toBe(200);
});

it("the streams of one client leave room for those of another", async () => {
  const keys = ["the-first-of-two-keys", "the-second-of-two-keys"].map((key) => ({ name: key, key }));
  gateway = await startGateway({ ...NOWHERE, auth: { mode: "keys", keys } }, { mostStreams: 1 });
  const as = (at: number) => ({ "x-precis-key": keys[at]!.key });
  expect((await open("/api/events", as(0))).status).toBe(200);
  expect((await open("/api/events", as(0))).status).toBe(429);
  expect((await open("/api/events", as(1))).status).toBe(200);
  // A stream that was refused or never existed takes no place.
  expect((await open("/api/events", { "x-precis-key": "nobody" })).status).toBe(401);
});
