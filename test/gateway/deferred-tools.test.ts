import { expect, it } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

const WINDOW = 8_000;

/** A catalogue that is several windows large. */
const catalogue = Array.from({ length: 200 }, (_, number) => ({
  name: `service_${number}`,
  description: `Does what service ${number} does. ${"It takes a name and a number. ".repeat(20)}`,
  input_schema: { type: "object", properties: { name: { type: "string" } } },
  defer_loading: true,
}));

const found = (...names: string[]) => [
  { role: "user", content: "Find a service and use it." },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "search", input: { query: "service" } }],
  },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: names.map((tool_name) => ({ type: "tool_reference", tool_name })),
      },
    ],
  },
];

it("tools that aren't loaded yet don't count against the window", async () => {
  const provider = await startFakeProvider({ window: WINDOW });
  const running = await startGateway({ ...upstreamAt(provider.url), window: WINDOW });
  try {
    const ask = (tools: readonly object[], messages: readonly object[]) =>
      fetch(`${running.url}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
        body: JSON.stringify({
          model: "claude-opus-5",
          max_tokens: 500,
          tools: [{ name: "search", input_schema: { type: "object" } }, ...tools],
          messages,
        }),
      });
    expect((await ask(catalogue, [{ role: "user", content: "Hello." }])).status).toBe(200);
    expect((await ask(catalogue, found("service_3", "service_4"))).status).toBe(200);
    expect(provider.requests.map(({ tools }) => tools.length)).toEqual([201, 201]);
    // All of them loaded are too many, and the gateway says so before anything is sent.
    const names = catalogue.map(({ name }) => name);
    expect((await ask(catalogue, found(...names))).status).toBe(400);
    const loaded = catalogue.map(({ defer_loading: _, ...tool }) => tool);
    const refused = await ask(loaded, [{ role: "user", content: "Hello." }]);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("tools");
    expect(provider.requests).toHaveLength(2);
  } finally {
    await running.close();
    await provider.close();
  }
});
