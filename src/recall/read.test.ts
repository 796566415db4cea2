import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../apis/index.ts";
import { openRecall } from "./open-recall.ts";

const transcript: ChatMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Read the config." },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "call-9", type: "function", function: { name: "read", arguments: '{"path":"app.json"}' } },
    ],
  },
  { role: "tool", tool_call_id: "call-9", content: '{"port": 8787}' },
  { role: "assistant", content: "The port is 8787." },
  { role: "user", content: "Thanks." },
];
const recall = openRecall({ dialect: openaiChat, transcript });
const indexes = async (what: Parameters<typeof recall.read>[0]) =>
  (await recall.read(what)).messages.map(({ index }) => index);

describe("reading back", () => {
  it.each([
    ["#2–4", [1, 2, 3]],
    ["#2-4", [1, 2, 3]],
    ["#5", [4]],
    ["6", [5]],
    ["#40–50", []],
    ["call-9", [2]],
    [{ id: "nothing of that id" }, []],
  ])("reads %j", async (what, expected) => {
    expect(await indexes(what)).toEqual(expected);
  });

  it("refuses what is neither a pointer nor an id, and says what is", async () => {
    await expect(recall.read("foo")).rejects.toThrow(/"foo".*#12–18/);
  });

  it("a range of thousands of messages costs no more than what is read of it", async () => {
    const calls = async (length: number): Promise<number> => {
      let counted = 0;
      const many = Array.from({ length }, (_, at) => ({
        role: "user",
        content: `Part ${at} of a long talk. `.repeat(9),
      }));
      const counter = {
        id: "counting",
        count(text: string) {
          counted++;
          return Math.ceil(text.length / 4);
        },
      };
      await openRecall({ dialect: openaiChat, transcript: many as ChatMessage[], counter }).read(
        `#1–${length}`,
        { tokens: 300 },
      );
      return counted;
    };
    expect(await calls(2_000)).toBe(await calls(100));
  });

  it("reads what stands around a message", async () => {
    expect(await indexes({ around: 4, messages: 1 })).toEqual([3, 4, 5]);
    expect(await indexes({ around: 0 })).toEqual([0, 1, 2]);
  });

  it("says whose words they are", async () => {
    const { messages } = await recall.read("#2–4");
    expect(messages.map(({ text }) => text)).toEqual([
      "#2 user: Read the config.",
      "#3 read path=app.json",
      '#4 read» {"port": 8787}',
    ]);
  });

  it("keeps to its allowance", async () => {
    const { messages } = await recall.read("#1–6", { tokens: 12 });
    expect(messages.length).toBeLessThan(4);
  });

  it("tells what happened, turn by turn", async () => {
    const { turns } = await recall.timeline();
    expect(turns).toEqual([
      { from: 1, to: 5, text: "#2–5 user: Read the config. · read · app.json" },
      { from: 5, to: 6, text: "#6 user: Thanks." },
    ]);
  });
});

it.each([null, undefined, {}, 5])("what names no message (%j) is refused with what to give", async (what) => {
  await expect(recall.read(what as never)).rejects.toThrow(/Give a pointer such as/);
});
