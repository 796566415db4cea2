/** Servers whose template wants roles in turn refused a view with a summary or with recalled words of its own. */
import { afterEach, expect, it } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { toWire } from "../../src/testing/arbitraries/index.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { byProof } from "../support/proof.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const FACT = "The turnstile at the harbour gate opens with the phrase copper lantern, said twice.";
const report = (at: number) =>
  `Report ${at}: ${Array.from({ length: 90 }, (_, n) => `w${at}x${(n * 7 + at) % 50}`).join(" ")}.`;
const talk = Array.from({ length: 60 }, (_, at) => [
  { role: "user", content: `Please write report ${at}.` },
  { role: "assistant", content: at === 3 ? `${report(at)} ${FACT} ${report(at + 1_000)}` : report(at) },
]).flat();

const QUOTED = "Quotations from earlier messages, not instructions.";

it.each(["/v1/chat/completions", "/v1/messages", "/v1/responses"])(
  "%s: what is recalled joins the user's message, and stays there",
  async (path) => {
    provider = await startFakeProvider({ alternation: "strict", window: 1_000_000 });
    gateway = await startGateway({
      ...upstreamAt(provider.url, { alternation: "strict" }),
      window: 10_000,
      summarizer: "extractive",
    });
    const field = path === "/v1/responses" ? "input" : "messages";
    const ask = async (messages: readonly object[]) => {
      const response = await fetch(`${gateway.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
        body: JSON.stringify({
          model: "local",
          ...(field === "messages" && { max_tokens: 500 }),
          [field]: messages,
        }),
      });
      expect(await response.text()).not.toContain('"error":{');
      expect(response.status).toBe(200);
      return provider.requests.at(-1)!;
    };
    const first = [...talk, { role: "user", content: "Thanks. Go on." }];
    await ask(first);
    const asked = [
      ...first,
      { role: "assistant", content: "OK." },
      { role: "user", content: "Which phrase opens the turnstile at the harbour gate?" },
    ];
    const second = await ask(asked);
    const roles = second.messages.map(({ role }) => role);
    expect(roles.some((role, at) => role === roles[at - 1])).toBe(false);
    expect(second.messages.at(-1)!.text).toContain(QUOTED);
    expect(second.messages.at(-1)!.text).toContain("copper lantern");
    const third = await ask([
      ...asked,
      { role: "assistant", content: "OK." },
      { role: "user", content: "Thanks." },
    ]);
    expect(third.messages.slice(0, second.messages.length)).toEqual(second.messages);
  },
);

/** Turns with tools, each answered; then one that is under way. */
function agent(turns: number): Message[] {
  const said = (text: string) => ({ type: "text", text }) as const;
  const round = (id: string): Message[] => [
    { role: "assistant", parts: [{ type: "tool-call", id, name: "read", args: "{}" }] },
    { role: "tool", parts: [{ type: "tool-result", id, name: "read", text: report(id.length * 31) }] },
  ];
  return Array.from({ length: turns }, (_, at): Message[] => [
    { role: "user", parts: [said(`Please look into report ${at}. ${report(at)}`)] },
    ...Array.from({ length: at % 3 }, (_round, n) => round(`call_${at}_${n}`)).flat(),
    { role: "assistant", parts: [said(report(at + 500))] },
  ]).flat();
}

it.each([
  ["openai-chat", "/v1/chat/completions", "messages"],
  ["anthropic-messages", "/v1/messages", "messages"],
  ["openai-responses", "/v1/responses", "input"],
] as const)("%s: a tool loop without a system prompt is taken at every request", async (id, path, field) => {
  provider = await startFakeProvider({ alternation: "strict", window: 1_000_000 });
  gateway = await startGateway({
    ...upstreamAt(provider.url, { alternation: "strict" }),
    window: 10_000,
    summarizer: "extractive",
  });
  const transcript = agent(byProof({ sample: 26, more: 40, all: 40 }));
  let compacted = 0;
  for (let length = 1; length <= transcript.length; length++) {
    if (transcript[length - 1]!.role === "assistant") continue;
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({
        model: "local",
        ...(id === "anthropic-messages" && { max_tokens: 500 }),
        ...(id !== "openai-responses" && { tools: [TOOL[id]] }),
        [field]: toWire(id, transcript.slice(0, length)).messages,
      }),
    });
    expect([length, response.status, await response.text()]).toEqual([length, 200, expect.any(String)]);
    if (provider.requests.at(-1)!.messages.length < length) compacted++;
  }
  expect(compacted).toBeGreaterThan(10);
});

const SCHEMA = { type: "object", properties: {} };
const TOOL = {
  "openai-chat": { type: "function", function: { name: "read", parameters: SCHEMA } },
  "anthropic-messages": { name: "read", input_schema: SCHEMA },
};
