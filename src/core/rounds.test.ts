import { describe, expect, test } from "vitest";
import { structureOf } from "./rounds.ts";
import type { Message, Part, Role } from "./types.ts";

const say = (role: Role, text: string): Message => ({ role, parts: [{ type: "text", text }] });
const call = (...ids: string[]): Message => ({
  role: "assistant",
  parts: ids.map((id): Part => ({ type: "tool-call", id, name: "read", args: "{}" })),
});
const result = (...ids: string[]): Message => ({
  role: "tool",
  parts: ids.map((id): Part => ({ type: "tool-result", id, text: `result of ${id}` })),
});
const units = (messages: Message[]) =>
  structureOf(messages).units.map(({ kind, from, to }) => `${kind} ${from}-${to}`);

describe("rounds", () => {
  test("an assistant message and all results of its parallel calls are one unit", () => {
    expect(
      units([say("user", "go"), call("a", "b"), result("b"), result("a"), say("assistant", "done")]),
    ).toEqual(["message 0-1", "round 1-4", "message 4-5"]);
  });

  test("items of one response (reasoning, text and calls as three items) belong to the round", () => {
    const reasoning: Message = { role: "assistant", parts: [{ type: "reasoning", text: "", signed: true }] };
    expect(units([say("user", "go"), reasoning, call("a"), call("b"), result("a"), result("b")])).toEqual([
      "message 0-1",
      "round 1-6",
    ]);
  });

  test("what follows an answered call belongs to its round, where that call is", () => {
    const ran: Message = { ...call("b"), parts: [...call("b").parts, ...result("b").parts], follows: "a" };
    expect(units([say("user", "go"), call("a"), result("a"), ran, say("user", "on")])).toEqual([
      "message 0-1",
      "round 1-4",
      "message 4-5",
    ]);
    const { faults } = structureOf([ran, say("user", "on")]);
    expect(faults).toEqual([]);
    expect(units([ran, say("user", "on")])).toEqual(["round 0-1", "message 1-2"]);
  });

  test("what stands between a call and its result belongs to the round", () => {
    expect(units([call("a"), say("user", "hurry"), result("a")])).toEqual(["round 0-3"]);
  });

  test("repeated ids pair with the nearest call that waits", () => {
    const { faults, pairs } = structureOf([call("x"), result("x"), call("x"), result("x")]);
    expect(faults).toEqual([]);
    expect(pairs.map(({ call, result }) => [call.index, result.index])).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  test("orphans are named; the open last call isn't one", () => {
    expect(
      structureOf([result("a"), call("b"), say("user", "hm"), call("c", "d"), result("c")]).faults,
    ).toEqual([
      { index: 0, kind: "orphan-result" },
      { index: 1, kind: "orphan-call" },
    ]);
    expect(structureOf([say("user", "x"), call("c", "d"), result("c")]).units.at(-1)).toMatchObject({
      open: true,
    });
  });
});

describe("turns", () => {
  test("a message of tool results starts no turn, with or without text", () => {
    const mixed: Message = {
      role: "user",
      parts: [
        { type: "tool-result", id: "a", text: "r" },
        { type: "text", text: "and by the way" },
      ],
    };
    const { turns, lastUser } = structureOf([say("system", "s"), say("user", "one"), call("a"), mixed]);
    expect(turns).toEqual([{ from: 1, to: 4 }]);
    expect(lastUser).toBe(1);
  });

  test("a summary message that a host sent back isn't the user's", () => {
    const { lastUser } = structureOf([
      say("user", "real"),
      say("user", "<conversation-summary>…</conversation-summary>"),
    ]);
    expect(lastUser).toBe(0);
  });

  test("only leading system messages are counted as leading", () => {
    expect(
      structureOf([say("system", "a"), say("system", "b"), say("user", "c"), say("system", "d")]).start,
    ).toBe(2);
  });

  test("a second answer in the same run belongs to the round, one after other messages is an orphan", () => {
    const twice = [call("a", "b"), result("a"), result("b"), result("a")];
    expect(units(twice)).toEqual(["round 0-4"]);
    expect(structureOf(twice).faults).toEqual([]);
    const late = [call("a"), result("a"), say("user", "go"), result("a")];
    expect(structureOf(late).faults).toEqual([{ index: 3, kind: "orphan-result" }]);
  });

  test("an empty message isn't the user's, and reasoning stands with what it led to", () => {
    expect(structureOf([say("user", "go"), { role: "user", parts: [] }, say("user", " ")]).lastUser).toBe(0);
    const thought: Message = { role: "assistant", parts: [{ type: "reasoning", text: "hm", signed: false }] };
    expect(units([say("user", "go"), thought, say("assistant", "so")])).toEqual([
      "message 0-1",
      "message 1-3",
    ]);
  });
});

describe("the last user message", () => {
  const said = (role: "user" | "assistant", text: string): Message => ({
    role,
    parts: [{ type: "text", text }],
  });
  const loaded: Message[] = [
    { role: "assistant", parts: [{ type: "tool-call", id: "s", name: "Skill", args: '{"skill":"plans"}' }] },
    { role: "tool", parts: [{ type: "tool-result", id: "s", text: "Launching skill: plans" }] },
    said("user", `# Plans\n${"Write down every step. ".repeat(60)}`),
  ];
  test("is what the user asked, not what a tool loaded or a host noted, once the model has read that", () => {
    const transcript = [said("user", "Write a plan."), ...loaded, said("assistant", "I have read it.")];
    expect(structureOf(transcript).lastUser).toBe(0);
    const stopped = [
      said("user", "Do it."),
      said("user", "[Request interrupted by user]"),
      said("assistant", "Yes?"),
    ];
    expect(structureOf(stopped).lastUser).toBe(0);
  });
  test("is the newest of them as long as the model hasn't read it, or if there is no other", () => {
    expect(structureOf([said("user", "Write a plan."), ...loaded]).lastUser).toBe(3);
    expect(structureOf([...loaded, said("assistant", "I have read it.")]).lastUser).toBe(2);
  });
});
