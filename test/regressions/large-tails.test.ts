/** Large budgets: the tail is as long as there is room, word for word, and what nobody has seen yet is shown. */
import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";

/** As much of a PNG file as says how large the picture is. */
function picture(width: number, height: number): string {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const start = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const bytes = Buffer.concat([start, size, Buffer.from([8, 6, 0, 0, 0])]);
  return `data:image/png;base64,${bytes.toString("base64")}`;
}
const PICTURE = picture(1_024, 768);
const WORDS_OF_A_MESSAGE = 400;

const talk = (messages: number) =>
  Array.from({ length: messages }, (_, n) => {
    const words = Array.from({ length: WORDS_OF_A_MESSAGE }, (_, word) => `word${(word * 7 + n) % 997}`);
    return n % 2 === 0
      ? chat.user(`Question ${n}: ${words.join(" ")}?`)
      : chat.assistant(`Answer ${n}: ${words.join(" ")}.`);
  });
const shot = () => [
  chat.user("Take a screenshot."),
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "shot", arguments: "{}" } }],
  },
  {
    role: "tool",
    tool_call_id: "c1",
    content: [
      { type: "text", text: "Done." },
      { type: "image_url", image_url: { url: PICTURE } },
    ],
  },
];

it.each([
  [64_000, 0.3],
  [128_000, 0.38],
  [200_000, 0.38],
])("window %i: newest picture and a long tail, unedited", async (window, landing) => {
  const transcript = [...talk(Math.ceil((window * 1.5) / WORDS_OF_A_MESSAGE / 2)), ...shot()];
  const compactor = createCompactor({ dialect: openaiChat, window, summarizer: "extractive" });
  const { messages, report } = await compactor.fit(transcript as never, { now: 1 });
  expect(report.outcome).toBe("compacted");
  expect(messages.at(-1)).toEqual(transcript.at(-1));
  expect(report.counts.edited).toBe(0);
  expect(report.tokens.after).toBeGreaterThan(landing * report.budget.budget);
});

it.each([8_000, 16_000, 32_000])("window %i: the newest picture too", async (window) => {
  const transcript = [...talk(Math.ceil((window * 1.5) / WORDS_OF_A_MESSAGE / 2)), ...shot()];
  const compactor = createCompactor({ dialect: openaiChat, window, summarizer: "extractive" });
  const { messages, report } = await compactor.fit(transcript as never, { now: 1 });
  expect(report.outcome).toBe("compacted");
  expect(messages.at(-1)).toEqual(transcript.at(-1));
});

it("a picture of an earlier round goes before words of the newest one do", async () => {
  const rounds = Array.from({ length: 30 }, (_, n) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `r${n}`, type: "function", function: { name: "shot", arguments: "{}" } }],
    },
    {
      role: "tool",
      tool_call_id: `r${n}`,
      content: [
        { type: "text", text: `Shot ${n}.` },
        { type: "image_url", image_url: { url: PICTURE } },
      ],
    },
  ]).flat();
  const transcript = [...talk(60), chat.user("Go on."), ...rounds];
  const compactor = createCompactor({ dialect: openaiChat, window: 16_000, summarizer: "extractive" });
  const { messages, report } = await compactor.fit(transcript as never, { now: 1 });
  expect(report.outcome).toBe("compacted");
  expect(messages.at(-1)).toEqual(transcript.at(-1));
});
