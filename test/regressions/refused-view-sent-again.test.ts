import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/index.ts";
import { overflowOf } from "../../src/models/index.ts";

/** Some 25,000 tokens in 200 messages, all of them different. */
const words = (length: number, seed: number) =>
  Array.from({ length }, (_, n) => `w${(n * 7_919 + seed * 31) % 997}`).join(" ");
const chat = [
  { role: "system" as const, content: "You help." },
  ...Array.from({ length: 201 }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `M${n} ${words(60, n)}`,
  })),
];
const more = (seed: number) => [
  { role: "assistant" as const, content: words(40, seed) },
  { role: "user" as const, content: words(40, seed + 1) },
];

const refusals = [
  ["without a number", overflowOf(400, "prompt is too long"), Number.POSITIVE_INFINITY],
  [
    "with a count alone",
    overflowOf(400, "prompt is too long: 25211 tokens") && { tokens: 25_211 },
    Number.POSITIVE_INFINITY,
  ],
  [
    "with a count and a limit",
    overflowOf(
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 25211 tokens.",
    ),
    8_192,
  ],
  [
    "with a limit alone",
    overflowOf(400, "Request exceeds the model's maximum context length of 8192"),
    8_192,
  ],
] as const;

it.each(refusals)(
  "a view that was refused %s gets smaller each time, and the next ones stay below",
  async (_, refusal, limit) => {
    const compactor = createCompactor({ dialect: openaiChat, window: 100_000 });
    const first = await compactor.fit(chat);
    expect(first.report.outcome).toBe("pass");
    const second = await compactor.fit(chat, { state: first.state, rejected: refusal! });
    const after = second.report.tokens.after;
    expect(after).toBeLessThan(Math.min(first.report.tokens.after * 0.95, limit));
    const third = await compactor.fit(chat, { state: second.state, rejected: refusal! });
    expect(third.report.tokens.after).toBeLessThan(after * 0.95);
    // It is remembered in the state alone: another process, and a conversation that goes on.
    const other = createCompactor({ dialect: openaiChat, window: 100_000 });
    let { state } = second;
    const longer = [...chat];
    for (let turn = 0; turn < 60; turn++) {
      longer.push(...more(turn));
      const next = await other.fit(longer, { state });
      expect(next.report.tokens.after).toBeLessThan(Math.min(first.report.tokens.after, limit));
      state = next.state;
    }
    expect(longer.length).toBe(chat.length + 120);
  },
);

it("what was refused once doesn't refuse a message that needs the room", async () => {
  const compactor = createCompactor({ dialect: openaiChat, window: 100_000 });
  const { state } = await compactor.fit(chat.slice(0, 32), { rejected: true });
  const long = [...chat.slice(0, 33), { role: "user" as const, content: words(6_000, 5) }];
  const next = await compactor.fit(long, { state });
  expect(next.messages).toContain(long.at(-1));
});
