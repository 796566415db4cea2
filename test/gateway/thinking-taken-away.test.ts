/** A tool loop that is compacted goes on thinking wherever the provider's rules allow it, and nothing that it sends is refused. */
import { expect, it } from "vitest";
import { startBoth } from "./gateway-process.ts";

interface Part {
  readonly type: string;
  readonly id?: string;
}
interface Sent {
  readonly thinking?: unknown;
  readonly messages: readonly { readonly content: unknown }[];
}

const TOOLS = [{ name: "read", description: "Reads a bed.", input_schema: { type: "object" } }];
const BUDGET = { type: "enabled", budget_tokens: 1_024 };
const ROUNDS = 24;

/** One tool loop of many rounds; what the provider was sent, request by request. */
async function loop(
  model: string,
  thinking: object,
  {
    thinksAt = () => true,
    betas = "",
  }: { readonly thinksAt?: (round: number) => boolean; readonly betas?: string } = {},
) {
  let round = 0;
  const { provider, gateway } = await startBoth(
    { window: 8_000, summarizer: "extractive" },
    {
      window: 1_000_000,
      reply: () => {
        const reasoning = thinksAt(round) ? `I want bed ${round}.` : "";
        return { reasoning, calls: [{ name: "read", args: { bed: round++ } }] };
      },
    },
  );
  const messages: object[] = [{ role: "user", content: "How are all the beds?" }];
  const actions: string[] = [];
  while (round < ROUNDS) {
    const answer = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": "k",
        ...(betas && { "anthropic-beta": betas }),
      },
      body: JSON.stringify({
        model,
        max_tokens: 2_000,
        system: "You garden.",
        messages,
        tools: TOOLS,
        thinking,
      }),
    });
    const body = (await answer.json()) as { readonly content: readonly Part[] };
    expect(answer.status, JSON.stringify(body)).toBe(200);
    actions.push(answer.headers.get("x-precis-action")!);
    const call = body.content.find(({ type }) => type === "tool_use")!;
    messages.push(
      { role: "assistant", content: body.content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: call.id, content: "leeks and beans, watered\n".repeat(60) },
        ],
      },
    );
  }
  const at = actions.indexOf("compacted");
  expect(at).toBeGreaterThan(0);
  const sent = provider.requests.map(({ body }) => body as unknown as Sent);
  return { compacted: sent[at]!, after: sent.slice(at + 1) };
}

const thoughts = ({ messages }: Sent): number =>
  messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Part[]) : []))
    .filter(({ type }) => type === "thinking").length;

const BINDING = "thinking-binding-controls-2026-08-01";

it.each([
  { model: "claude-sonnet-4-5", thinking: BUDGET },
  { model: "claude-3-7-sonnet-20250219", thinking: BUDGET },
  { model: "anthropic/claude-opus-4.1", thinking: BUDGET },
  { model: "claude-opus-4-6", thinking: { type: "adaptive" } },
  { model: "claude-opus-4-8", thinking: { type: "adaptive", display: "omitted" } },
  { model: "claude-sonnet-5", thinking: { type: "adaptive" } },
])(
  "$model ($thinking.type): its thoughts are bound to nothing, so they stay",
  async ({ model, thinking }) => {
    const { compacted, after } = await loop(model, thinking);
    for (const one of [compacted, ...after]) {
      expect(one.thinking).toEqual(thinking);
      expect(thoughts(one)).toBeGreaterThan(0);
    }
  },
);

it.each([
  { model: "claude-fable-5-1", thinking: { type: "adaptive" } },
  { model: "claude-opus-5-5", thinking: { type: "adaptive" } },
  { model: "the-team-s-model", thinking: { type: "adaptive" } },
])("$model ($thinking.type): bound thoughts leave, and it thinks on", async ({ model, thinking }) => {
  const { compacted, after } = await loop(model, thinking);
  expect(thoughts(compacted)).toBe(0);
  expect(thoughts(after[0]!)).toBe(1);
  for (const one of [compacted, ...after]) expect(one.thinking).toEqual(thinking);
});

it("a model that nobody knows, with a budget: thoughts may be bound, so it goes on without them and without thinking", async () => {
  const { compacted, after } = await loop("the-team-s-model", BUDGET);
  for (const one of [compacted, ...after]) expect([one.thinking, thoughts(one)]).toEqual([undefined, 0]);
});

it("the provider's switch leaves out bound thoughts, and thinking stays on", async () => {
  const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const { compacted, after } = await loop("claude-fable-5-1", thinking, { betas: BINDING });
  for (const one of [compacted, ...after]) expect(one.thinking).toEqual(thinking);
});

it("a loop that thought only at its beginning can't be thought in once that is covered", async () => {
  const { compacted, after } = await loop("claude-sonnet-4-5", BUDGET, { thinksAt: (round) => round === 0 });
  for (const one of [compacted, ...after]) expect([one.thinking, thoughts(one)]).toEqual([undefined, 0]);
});

it("a loop that thinks now and then is cut at a thought, and goes on thinking", async () => {
  const { compacted, after } = await loop("claude-sonnet-4-5", BUDGET, {
    thinksAt: (round) => round % 3 === 0,
  });
  for (const one of [compacted, ...after]) expect(one.thinking).toEqual(BUDGET);
});
