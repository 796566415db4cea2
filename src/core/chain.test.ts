import { expect, test } from "vitest";
import { chainOf } from "./chain.ts";
import type { Message } from "./types.ts";

const chain = (messages: Message[], start = 0) => chainOf(messages, start);
const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const round = (id: string): Message[] => [
  { role: "assistant", parts: [{ type: "tool-call", id, name: "read", args: '{"path":"a"}' }] },
  { role: "tool", parts: [{ type: "tool-result", id, text: "content" }] },
];

test("a longer transcript begins with the chain of the shorter one", () => {
  const short = chain([user("a"), user("b")]);
  expect(chain([user("a"), user("b"), user("c")]).slice(0, 3)).toEqual(short);
});

test("an edit changes every hash from there on and none before", () => {
  const before = chain([user("a"), user("b"), user("c")]);
  const after = chain([user("a"), user("B"), user("c")]);
  expect(after.map((hash, index) => hash === before[index])).toEqual([true, true, false, false]);
});

test("renumbered call ids, dropped reasoning and another system prompt don't change it", () => {
  const reasoned: Message = {
    role: "assistant",
    parts: [
      { type: "reasoning", text: "hm", signed: true },
      { type: "text", text: "ok" },
    ],
  };
  const plain: Message = { role: "assistant", parts: [{ type: "text", text: "ok" }] };
  expect(chain([...round("call_1"), reasoned])).toEqual(chain([...round("xyz"), plain]));
  const system: Message = { role: "system", parts: [{ type: "text", text: "You are …" }] };
  expect(chain([system, user("a")], 1)).toEqual(chain([user("a")]));
});

test("which call a result answers does change it", () => {
  const calls: Message = {
    role: "assistant",
    parts: ["a", "b"].map((id) => ({ type: "tool-call", id, name: "read", args: "{}" })),
  };
  const answers = (...ids: string[]): Message => ({
    role: "tool",
    parts: ids.map((id) => ({ type: "tool-result", id, text: "same" })),
  });
  expect(chain([calls, answers("a", "b")])).not.toEqual(chain([calls, answers("b", "a")]));
});

test("spaces in arguments and around an assistant's text don't change it, other words and numbers do", () => {
  const call = (args: string, ...texts: string[]): Message => ({
    role: "assistant",
    parts: [
      ...texts.map((text) => ({ type: "text" as const, text })),
      { type: "tool-call", id: "1", name: "read", args },
    ],
  });
  const one = chain([call('{"path":"a b","n":[1,2]}', "Reading.")]);
  expect(chain([call('{ "path": "a b",\n "n": [1, 2] }', " Reading.\n")])).toEqual(one);
  expect(chain([call('{"path":"a  b","n":[1,2]}', "Reading.")])).not.toEqual(one);
  expect(chain([call("{}", "")])).toEqual(chain([call("{ }")]));
  expect(chain([call('{ "id": 12345678901234567 }')])).not.toEqual(
    chain([call('{ "id": 12345678901234568 }')]),
  );
  expect(chain([call('{ "id": 12345678901234567 }')])).toEqual(chain([call('{"id":12345678901234567}')]));
  expect(chain([call("not json, {")])).not.toEqual(chain([call("not json,  {")]));
  expect(chain([user("a ")])).not.toEqual(chain([user("a")]));
});
