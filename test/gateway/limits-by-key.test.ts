import { afterEach, expect, it } from "vitest";
import { memoryServerStore } from "../../src/stores/sqlite.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const ask = async (headers: Readonly<Record<string, string>>) => {
  const body = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };
  return (await post(`${gateway.url}/v1/chat/completions`, body, headers)).status;
};

it("counts each key's requests by themselves, also where two keys have one name", async () => {
  const limits = { requestsPerMinute: 2 };
  const store = memoryServerStore();
  const made = await Promise.all(
    [1, 2].map(() => store.clientKeys.create("default", { name: "ci", limits })),
  );
  const listed = ["the-first-of-two-keys", "the-second-of-two-keys"];
  provider = await startFakeProvider();
  const keys = listed.map((key) => ({ name: "ci", key, limits }));
  gateway = await startGateway(
    { ...upstreamAt(provider.url), auth: { mode: "keys", keys } },
    // One minute that doesn't end.
    { store, now: () => 1_000_000 },
  );
  for (const key of [...listed, ...made.map((one) => one.key)]) {
    expect(await ask({ authorization: `Bearer ${key}` })).toBe(200);
    // Another header is no other key.
    expect(await ask({ "x-precis-key": key })).toBe(200);
    expect(await ask({ "x-api-key": key })).toBe(429);
    // Azure's clients have a header of their own.
    expect(await ask({ "api-key": key })).toBe(429);
  }
});
