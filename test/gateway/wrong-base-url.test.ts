import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

let there: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  there = await startUpstream((_, __, response) => {
    response.setHeader("content-type", "application/json");
    response.end('{"id":"x","data":[],"choices":[],"content":[],"output":[]}');
  });
  gateway = await startGateway(upstreamAt(there.url));
});
afterAll(async () => {
  await gateway.close();
  await there.close();
});

const body = { model: "gpt-4o", max_tokens: 9, messages: [{ role: "user", content: "hi" }], input: "hi" };

it.each([
  ["/chat/completions", "Put /v1 at the end of the client's base URL"],
  ["/responses", "Put /v1 at the end"],
  ["/messages", "Put /v1 at the end"],
  ["/messages/count_tokens", "Put /v1 at the end"],
  ["/chat/completions/", "Put /v1 at the end"],
  ["/v1/v1/messages", "/v1 is there twice"],
  ["/v1/v1/chat/completions", "/v1 is there twice"],
  ["/v1/v1/embeddings", "/v1 is there twice"],
  ["/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21", "These are Azure's paths"],
  ["/api/chat", "This is Ollama's own API"],
  ["/model/anthropic.claude/converse", "This is Bedrock's own API"],
  ["/completions/v2", "Clients use http://127.0.0.1:"],
])("tells a client that asks at %s how to set its base URL right", async (path, words) => {
  const before = there.seen.length;
  const response = await post(gateway.url + path, body);
  expect(response.status).toBe(404);
  const answer = (await response.json()) as { type?: string; error: { message: string } };
  expect(answer.error.message).toContain(words);
  // In the words of the API that was meant.
  expect(answer.type).toBe(path.includes("messages") ? "error" : undefined);
  expect(there.seen).toHaveLength(before);
});

it("tells it of the list of models too, and shows people the page", async () => {
  const asked = await fetch(`${gateway.url}/models`, { headers: { accept: "application/json" } });
  expect(asked.status).toBe(404);
  expect(await asked.text()).toContain("Put /v1 at the end");
  const looked = await fetch(`${gateway.url}/models`, { headers: { accept: "text/html,*/*" } });
  expect(looked.headers.get("content-type")).toContain("text/html");
});

it.each(["/v1/chat/completions", "/v1/messages", "/v1/responses"])(
  "takes %s with a slash behind it",
  async (path) => {
    const response = await post(`${gateway.url}${path}/?beta=true`, body);
    expect(response.status).toBe(200);
    expect(response.headers.get("x-precis-action")).toBe("pass");
    expect(there.seen.at(-1)!.request.url).toBe(`${path}?beta=true`);
  },
);

it.each(["/openai", "/ollama"])(
  "takes OpenAI's API below %s, where Groq and Ollama have it",
  async (prefix) => {
    for (const path of ["/v1/chat/completions", "/v1/responses", "/v1/embeddings?a=b"]) {
      const response = await post(gateway.url + prefix + path, body);
      expect(response.status).toBe(200);
      expect(there.seen.at(-1)!.request.url).toBe(path);
    }
  },
);

it("sends what isn't its own on as it came", async () => {
  await post(`${gateway.url}/v1/embeddings/`, body);
  expect(there.seen.at(-1)!.request.url).toBe("/v1/embeddings/");
});
