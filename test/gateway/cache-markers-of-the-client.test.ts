import { expect, it } from "vitest";
import { startBoth } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const mark = { cache_control: { type: "ephemeral" } };
const text = (words: string, more: object = {}) => [{ type: "text", text: words, ...more }];

/** A talk whose newest messages carry the client's own markers, as Claude Code sets them. */
function talk(marked: number, length = 61) {
  return Array.from({ length }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: text(`${n}: ${"several words of a talk ".repeat(30)}`, n >= length - marked ? mark : {}),
  }));
}

it.each([
  ["four of its own", { system: text("Be brief.", mark), messages: talk(2), tools: [mark] }],
  ["three and the automatic one", { ...mark, system: text("Be brief.", mark), messages: talk(2) }],
  ["four in messages", { system: "Be brief.", messages: talk(4) }],
])("a client with %s is never sent on with more markers than Anthropic takes", async (_, given) => {
  const { provider, gateway } = await startBoth(
    { window: 8_000, cacheBreakpoints: true, summarizer: "extractive" },
    {},
  );
  const tools =
    "tools" in given
      ? { tools: given.tools.map((one) => ({ name: "look", input_schema: { type: "object" }, ...one })) }
      : {};
  const answer = await post(`${gateway.url}/v1/messages`, {
    model: "claude-opus-4-5",
    max_tokens: 500,
    ...given,
    ...tools,
  });
  expect(await answer.text()).toContain("OK.");
  expect(answer.headers.get("x-precis-action")).toBe("compacted");
  expect(provider.requests.map(({ status }) => status)).toEqual([200]);
  expect(provider.requests[0]!.raw.match(/cache_control/g)!.length).toBeLessThanOrEqual(4);
});
