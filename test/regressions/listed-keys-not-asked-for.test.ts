import { afterEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "../gateway/gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

it("keys that the config lists are asked for on loopback, too, without a mode", async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({
    ...upstreamAt(provider.url),
    auth: { keys: [{ name: "a", key: "key-of-tenant-a-0001", tenant: "a" }] },
  });
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${gateway.url}/api/conversations`, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ "x-precis-key": "key-of-another-0001" })).toBe(401);
  expect(await status({ "x-precis-key": "key-of-tenant-a-0001" })).toBe(200);
});
