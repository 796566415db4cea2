import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { totalsOf } from "./totals-of.ts";

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: { readonly id: string }[];
  readonly tool_call_id?: string;
}

it("a client that repeats the same tool round after a compaction is noticed", async () => {
  const provider = await startFakeProvider({
    window: 4_000,
    reply: { calls: [{ name: "read", args: { path: "a.ts" } }] },
  });
  const running = await startGateway({
    ...upstreamAt(provider.url),
    window: 4_000,
    summarizer: "extractive",
  });
  try {
    const messages: Message[] = [{ role: "user", content: "read a.ts" }];
    for (let round = 0; round < 14; round++) {
      const response = await fetch(`${running.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          model: "gpt-4o",
          messages,
          tools: [{ type: "function", function: { name: "read", parameters: { type: "object" } } }],
        }),
      });
      const { choices } = (await response.json()) as { choices: { message: Message }[] };
      const { message } = choices[0]!;
      messages.push(message);
      for (const { id } of message.tool_calls ?? [])
        messages.push({
          role: "tool",
          tool_call_id: id,
          content: `round ${round}: ${"the same old text of a.ts. ".repeat(60)}`,
        });
    }
    expect((await totalsOf(running.url)).loops).toBeGreaterThan(0);
    expect(await (await fetch(`${running.url}/metrics`)).text()).toMatch(/precis_loops_total [1-9]/);
    const { conversations } = await running.gateway.store.conversations.list("default");
    const { events } = (await (
      await fetch(`${running.url}/api/conversations/${conversations[0]!.id}/timeline`)
    ).json()) as {
      events: { type: string; tool?: string }[];
    };
    expect(events.find(({ type }) => type === "loop")).toMatchObject({ tool: "read" });
  } finally {
    await running.close();
    await provider.close();
  }
});

it("an upstream that says too long inside of a stream is asked again with less", async () => {
  const seen: number[] = [];
  const server = createServer((request, response) => {
    let size = 0;
    request.on("data", (piece: Buffer) => {
      size += piece.length;
    });
    request.on("end", () => {
      seen.push(size);
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (seen.length === 1) {
        const error = {
          code: "context_length_exceeded",
          message: "This model's maximum context length is 2000 tokens.",
        };
        response.end(`data: ${JSON.stringify({ error })}\n\ndata: [DONE]\n\n`);
      } else response.end('data: {"choices":[{"index":0,"delta":{"content":"fine"}}]}\n\ndata: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const running = await startGateway({ ...upstreamAt(url), window: 4_000, summarizer: "extractive" });
  try {
    const messages = Array.from({ length: 21 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `Message ${n}. ${"Some words about nothing in particular. ".repeat(18)}`,
    }));
    const response = await fetch(`${running.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o", stream: true, messages }),
    });
    expect(await response.text()).toContain("fine");
    expect(seen).toHaveLength(2);
    expect(seen[1]!).toBeLessThan(seen[0]!);
  } finally {
    await running.close();
    server.closeAllConnections();
    server.close();
  }
});
