import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor, profiles } from "../../src/index.ts";

/** A frame as Qwen's clients send it: a small JPEG in base64. */
const frame = (n: number) => `data:image/jpeg;base64,/9j/${String(n).padStart(6, "0")}${"A".repeat(40_000)}`;
const frames = Array.from({ length: 24 }, (_, n) => frame(n));
const TOKENS_PER_FRAME = 258;

it.each([
  ["a list of frames", { type: "video", video: frames }],
  [
    "one address with all frames",
    {
      type: "video_url",
      video_url: { url: `data:video/jpeg;base64,${frames.map((one) => one.slice(23)).join(",")}` },
    },
  ],
])("%s costs what its frames cost, and not what their base64 would as text", async (_name, part) => {
  const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
  const transcript = [{ role: "user", content: [part, { type: "text", text: "What happens here?" }] }];
  const { report } = await compactor.fit(transcript);
  expect(report.outcome).toBe("pass");
  expect(report.tokens.after).toBeGreaterThanOrEqual(24 * TOKENS_PER_FRAME);
  expect(report.tokens.after).toBeLessThan(24 * TOKENS_PER_FRAME + 100);
});

it("old frames become a line that says how many there were", async () => {
  const compactor = createCompactor({ dialect: openaiChat, window: 16_000, profile: profiles.agent });
  const turn = (n: number) => [
    {
      role: "user",
      content: [
        { type: "video", video: frames },
        { type: "text", text: `Scene ${n}?` },
      ],
    },
    { role: "assistant", content: `Scene ${n}: a street.` },
  ];
  const transcript = [...turn(1), ...turn(2), ...turn(3), { role: "user", content: "And then?" }];
  const { messages, report } = await compactor.fit(transcript);
  expect(report.outcome).toBe("compacted");
  expect(report.tokens.after).toBeLessThan(report.budget.budget);
  expect(JSON.stringify(messages)).not.toContain("AAAAAAAA");
});
