import { describe, expect, it } from "vitest";
import type { Entry, FitResult, Report } from "../core/types.ts";
import { anthropic, chat, responses } from "./builders.ts";
import { checkView } from "./check-view.ts";

const count = (message: unknown) => JSON.stringify(message).length;

/** A result of `fit` as an engine would report it, from entries and messages alone. */
function resultOf(
  messages: unknown[],
  entries: readonly Entry[],
  system?: unknown,
): Pick<FitResult<unknown>, "messages" | "system" | "report"> {
  const covered = entries.flatMap((entry) => (entry.type === "insert" ? entry.covers : []));
  const of = (type: Entry["type"]) => entries.filter((entry) => entry.type === type).length;
  const after =
    messages.reduce<number>((sum, message) => sum + count(message), 0) +
    (system === undefined ? 0 : count({ role: "system", content: system }));
  const report = {
    outcome: "compacted",
    entries,
    counts: {
      kept: of("keep"),
      edited: of("edit"),
      covered: covered.reduce((sum, run) => sum + run.to - run.from, 0),
      dropped: of("drop"),
      inserted: of("insert"),
    },
    tokens: { transcript: 0, before: 0, after },
    budget: { budget: 100_000 },
  } as unknown as Report;
  return { messages, system, report };
}

const keep = (index: number): Entry => ({ type: "keep", index });
const drop = (index: number): Entry => ({ type: "drop", index, reason: "budget" });

const transcript = [
  chat.system("You help."),
  chat.user("A long first question that takes some room ".repeat(10)),
  ...chat.round("read", { path: "a.ts" }, "the file ".repeat(40), "c1"),
  chat.assistant("Done."),
  chat.user("And now?"),
];

const check = (messages: unknown[], entries: readonly Entry[], more: object = {}) =>
  checkView({ dialect: "openai-chat", transcript, result: resultOf(messages, entries), count, ...more });

describe("checkView", () => {
  it("accepts a view with an insert where its last covered message stood", () => {
    const text = "<conversation-summary>short</conversation-summary>";
    const messages = [transcript[0], chat.user(text), transcript[4], transcript[5]];
    const insert: Entry = { type: "insert", message: { role: "user", text }, covers: [{ from: 1, to: 4 }] };
    expect(check(messages, [keep(0), insert, keep(4), keep(5)])).toEqual([]);
  });

  it.each([
    ["the request", [1, 3, 4], "orphan-result at message 3 (call mcpr)"],
    ["the approval", [1, 2, 4], "unanswered-call at message 2 (call mcpr)"],
    ["the call", [1, 2, 3], "unanswered-call at message 3 (call mcpr)"],
    ["both before the call", [1, 4], "orphan-result at message 4 (call mcpr)"],
  ])("finds an approval that was split: %s is missing", (_, shown, breach) => {
    const items = [
      responses.user("A long first question that takes some room ".repeat(10)),
      responses.user("Look."),
      { type: "mcp_approval_request", id: "mcpr", name: "look", server_label: "s", arguments: "{}" },
      { type: "mcp_approval_response", approval_request_id: "mcpr", approve: true },
      {
        type: "mcp_call",
        id: "mcp",
        name: "look",
        arguments: "{}",
        output: "Quiet.",
        approval_request_id: "mcpr",
      },
      responses.user("And now?"),
    ];
    const judge = (left: readonly number[]) => {
      const entries = items.map((_, index) => (left.includes(index) ? keep(index) : drop(index)));
      const result = resultOf(
        left.map((index) => items[index]),
        entries,
      );
      return checkView({ dialect: "openai-responses", transcript: items, result, count });
    };
    expect(judge([...shown, 5])).toContain(`wire: ${breach}`);
    expect(judge([1, 2, 3, 4, 5])).toEqual([]);
    expect(judge([1, 5])).toEqual([]);
  });

  it("finds a split round", () => {
    const left = [0, 1, 3, 4, 5];
    const entries = [keep(0), keep(1), drop(2), keep(3), keep(4), keep(5)];
    expect(
      check(
        left.map((index) => transcript[index]),
        entries,
      ),
    ).toEqual(["wire: orphan-result at message 3 (call c1)"]);
    const right = [0, 1, 2, 4, 5];
    const others = [keep(0), keep(1), keep(2), drop(3), keep(4), keep(5)];
    expect(
      check(
        right.map((index) => transcript[index]),
        others,
      ),
    ).toEqual(["wire: unanswered-call at message 2 (call c1)"]);
  });

  it("finds a lost last user message and a lost system prompt", () => {
    const breaches = check(
      [1, 2, 3].map((index) => transcript[index]),
      [drop(0), keep(1), keep(2), keep(3), drop(4), drop(5)],
    );
    expect(breaches).toContain("head: message 0 isn't shown");
    expect(breaches).toContain("last-user-message: message 5 isn't shown");
  });

  it("finds copies, unaccounted messages and wrong order", () => {
    const all = transcript.map((_, index) => keep(index));
    expect(check(transcript.with(4, { ...transcript[4]! }), all)).toEqual([
      "same-object: message 4 is kept, but isn't the very same object",
    ]);
    expect(check(transcript.slice(0, 5), all.slice(0, 5)).join()).toContain("message 5 isn't accounted for");
    const swapped = [0, 2, 3, 1, 4, 5];
    expect(
      check(
        swapped.map((index) => transcript[index]),
        swapped.map(keep),
      ).join(),
    ).toContain("order:");
  });

  it("finds a view over budget, larger than the transcript, or miscounted", () => {
    const all = transcript.map((_, index) => keep(index));
    expect(check([...transcript], all, { budget: 10 }).join()).toContain("budget:");
    const long = "x".repeat(5_000);
    const insert: Entry = {
      type: "insert",
      message: { role: "user", text: long },
      covers: [{ from: 1, to: 2 }],
    };
    const view = [transcript[0], chat.user(long), ...transcript.slice(2)];
    expect(check(view, [keep(0), insert, ...all.slice(2)]).join()).toContain("size:");
  });

  it("knows each fault by its message, so that an old orphan doesn't excuse a new one", () => {
    const orphan = chat.result("ghost", "left over");
    const faulty = [orphan, ...chat.round("read", {}, "x".repeat(50), "c1"), chat.user("Go on.")];
    const result = resultOf([faulty[0], faulty[2], faulty[3]], [keep(0), drop(1), keep(2), keep(3)]);
    expect(checkView({ dialect: "openai-chat", transcript: faulty, result, count })).toEqual([
      "wire: orphan-result at message 2 (call c1)",
    ]);
  });

  it("doesn't count a result twice that was refused before and is a second one now, but one that had its own call", () => {
    const lost = [
      chat.user("Hi."),
      ...chat.round("read", {}, "one", "c").slice(0, 1),
      chat.assistant("Wait."),
    ];
    const twice = [...lost, chat.result("c", "one"), chat.result("c", "two"), chat.user("Go on.")];
    const closer = resultOf(
      [...twice.slice(0, 2), ...twice.slice(3)],
      [keep(0), keep(1), drop(2), keep(3), keep(4), keep(5)],
    );
    expect(checkView({ dialect: "openai-chat", transcript: twice, result: closer, count })).toEqual([]);
    const two = [
      ...chat.round("read", {}, "one", "c"),
      ...chat.round("read", {}, "two", "c"),
      chat.user("Go on."),
    ];
    const joined = resultOf([two[0], two[1], two[3], two[4]], [keep(0), keep(1), drop(2), keep(3), keep(4)]);
    expect(checkView({ dialect: "openai-chat", transcript: two, result: joined, count }).join()).toContain(
      "second-result",
    );
  });

  it("finds a result that now answers another call with the same id", () => {
    const again = [
      ...chat.round("read", {}, "one", "c"),
      ...chat.round("read", {}, "two", "c"),
      chat.user("Go on."),
    ];
    const entries = [keep(0), drop(1), drop(2), keep(3), keep(4)];
    const result = resultOf([again[0], again[3], again[4]], entries);
    expect(checkView({ dialect: "openai-chat", transcript: again, result, count }).join()).toContain(
      "now to message 0",
    );
  });

  it("wants a first user message and results first for Anthropic", () => {
    const list = [anthropic.user("Hello, who are you?"), anthropic.assistant("Me."), anthropic.user("Fine.")];
    const result = resultOf([list[1], list[2]], [drop(0), keep(1), keep(2)]);
    expect(checkView({ dialect: "anthropic-messages", transcript: list, result, count })).toEqual([
      "wire: first-role at message 1",
    ]);
  });

  it("finds a system prompt that the summary replaced", () => {
    const list = [anthropic.user("Hello, who are you?")];
    const result = resultOf(list, [keep(0)], "A summary.");
    expect(
      checkView({
        dialect: "anthropic-messages",
        transcript: list,
        system: "Be brief.",
        result,
        count,
      }).join(),
    ).toContain("head: the system prompt isn't sent word for word");
  });

  it("finds reasoning items that lead nowhere", () => {
    const list = [responses.user("Go."), ...responses.reasoning("Hm.", "So."), responses.user("Go on.")];
    const result = resultOf([list[0], list[1], list[3]], [keep(0), keep(1), drop(2), keep(3)]);
    expect(checkView({ dialect: "openai-responses", transcript: list, result, count })).toEqual([
      "wire: dangling-reasoning at message 1",
    ]);
  });

  it("finds edits that touch more than they name", () => {
    const list = [...chat.round("read", {}, "a long text", "c1"), chat.user("Go on.")];
    const entry: Entry = {
      type: "edit",
      index: 1,
      edits: [{ type: "replace", part: 0, text: "a…", why: "large-result" }],
    };
    const good = resultOf([list[0], { ...list[1], content: "a…" }, list[2]], [keep(0), entry, keep(2)]);
    expect(checkView({ dialect: "openai-chat", transcript: list, result: good, count })).toEqual([]);
    const bad = resultOf(
      [list[0], { ...list[1], content: "", name: "x" }, list[2]],
      [keep(0), entry, keep(2)],
    );
    expect(checkView({ dialect: "openai-chat", transcript: list, result: bad, count }).join()).toContain(
      "changed its field `name`",
    );
    const cut = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_read", type: "function", function: { name: "read", arguments: '{"a' } }],
    };
    const args = [chat.call("read", { a: "long" }), chat.result("call_read", "x"), chat.user("Go on.")];
    const broken = resultOf([cut, args[1], args[2]], [{ ...entry, index: 0 }, keep(1), keep(2)]);
    expect(checkView({ dialect: "openai-chat", transcript: args, result: broken, count }).join()).toContain(
      "arguments that are no longer JSON",
    );
  });
});
