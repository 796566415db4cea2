/** What clients name or count up is bounded: it costs neither memory for ever nor everybody else's time. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  provider = await startFakeProvider({ reply: "Noted." });
  gateway = await startGateway({ ...upstreamAt(provider.url), limits: { messages: 100 } });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const ROUTES = [
  ["/v1/chat/completions", "messages", { error: { code: expect.any(String) as string } }],
  ["/v1/responses", "input", { error: { code: expect.any(String) as string } }],
  ["/v1/messages", "messages", { type: "error" }],
  ["/v1/messages/count_tokens", "messages", { type: "error" }],
] as const;
const HI = { role: "user", content: "hi" };

it.each(ROUTES)("%s: a model whose name has no end is refused", async (path, list, shape) => {
  const response = await post(gateway.url + path, {
    model: `x${"-v1".repeat(8_000)}`,
    max_tokens: 9,
    [list]: [HI],
  });
  expect(response.status).toBe(400);
  const body = (await response.json()) as object;
  expect(body).toMatchObject(shape);
  expect(JSON.stringify(body).length).toBeLessThan(500);
  expect(provider.requests.length).toBe(0);
});

it.each(ROUTES)("%s: more messages than the limit are refused with its name", async (path, list, shape) => {
  const response = await post(gateway.url + path, {
    model: "m",
    max_tokens: 9,
    [list]: Array.from({ length: 101 }, () => HI),
  });
  expect(response.status).toBe(413);
  const body = (await response.json()) as object;
  expect(body).toMatchObject(shape);
  expect(JSON.stringify(body)).toContain("limits.messages");
});

it.each([
  ["numbers", "1"],
  ["empty objects", "{}"],
  ["parts", '{"type":"text","text":"a"}'],
  ["big integers", "12345678901234567890"],
])("a body of countless %s is refused before it is parsed", async (_, one) => {
  const body = `{"model":"m","messages":[{"role":"user","content":[${Array(600_000).fill(one).join(",")}]}]}`;
  const response = await post(`${gateway.url}/v1/chat/completions`, body);
  expect(response.status).toBe(413);
  expect(await response.text()).toContain("more than 500000 values");
});

it("numbers that no double holds count for many values, because each is looked at by itself", async () => {
  const asked = (count: number) =>
    `{"model":"gpt-4.1","x":[${Array(count).fill("12345678901234567890").join(",")}],"messages":[{"role":"user","content":"${"a".repeat(300_000)}"}]}`;
  const many = await post(`${gateway.url}/v1/chat/completions`, asked(11_000));
  expect(many.status).toBe(413);
  expect(await many.text()).toContain("more than 500000 values");
  expect((await post(`${gateway.url}/v1/chat/completions`, asked(1_000))).status).not.toBe(413);
});

it("signs inside of texts are no values", async () => {
  const response = await post(`${gateway.url}/v1/chat/completions`, {
    model: "gpt-4.1",
    messages: [{ role: "user", content: `,:[{\\"`.repeat(100_000) }],
  });
  expect(response.status).toBe(200);
});

it.each(["previous_response_id", "conversation"])("%s of megabytes is refused", async (field) => {
  const response = await post(`${gateway.url}/v1/responses`, {
    model: "m",
    input: "hi",
    [field]: "r".repeat(1_000_000),
  });
  expect(response.status).toBe(400);
  expect((await response.text()).length).toBeLessThan(500);
});
