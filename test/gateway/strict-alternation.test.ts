/** Servers whose template wants roles in turn refused a view with a summary or with recalled words of its own. */
import { afterEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
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
