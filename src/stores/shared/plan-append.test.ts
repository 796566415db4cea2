import { expect, test } from "vitest";
import type { Append, NewMessage } from "../server-store.ts";
import type { ConversationRow } from "./columns.ts";
import type { TextPlaces } from "./place-texts.ts";
import { type AppendTarget, forkLength, planAppend, type SharedPrefix } from "./plan-append.ts";

const AT = 1_000;
/** Texts of more than ten characters are bodies, under their first three. */
const places: TextPlaces = {
  addressOf: (wire) => wire.slice(0, 3),
  standsWithMessage: (length) => length <= 10,
};
const say = (hash: string, more: Partial<NewMessage> = {}): NewMessage => ({
  hash,
  role: "user",
  wire: hash,
  tokens: 2,
  at: AT,
  ...more,
});
const call = (input: Partial<Append>) => ({
  tenant: "t",
  id: "made",
  input: { messages: [], at: AT, ...input },
});

const made = planAppend(
  call({
    session: "s",
    title: "  A\n title",
    model: "m",
    head: "a long head",
    messages: [say("a"), say("b")],
  }),
  undefined,
  places,
);
const row = made.made as ConversationRow;
const target = (
  start: number,
  behind: readonly string[],
  more: Partial<ConversationRow> = {},
): AppendTarget => ({
  row: { ...row, ...more },
  start,
  behind: behind.map((hash) => ({ hash, body: null, tokens: 2 })),
});
const planned = (input: Partial<Append>, of: AppendTarget, prefix?: SharedPrefix) =>
  planAppend(call(input), { target: of, prefix }, places);

test("a first append makes a conversation with all that it says", () => {
  expect(row).toMatchObject({
    tenant: "t",
    id: "made",
    session: "s",
    named: 0,
    title: "A title",
    title_search: "a title",
    model: "m",
    dialect: null,
    head: "a l",
    length: 2,
    tokens: 4,
    created_at: AT,
    updated_at: AT,
    expires_at: null,
    fork_of: null,
  });
  expect(made.messages.map(({ position, hash, body, wire }) => [position, hash, body, wire])).toEqual([
    [0, "a", null, "a"],
    [1, "b", null, "b"],
  ]);
  expect([...made.texts]).toEqual([["a l", "a long head"]]);
  expect(made.appended).toEqual({ conversation: "made", forkOf: undefined, added: 2, length: 2 });
});

test("the next messages change only what differs", () => {
  const input = {
    after: "b",
    session: "s",
    model: "n",
    at: AT + 1,
    messages: [say("c", { wire: "c is rather long" })],
  };
  const plan = planned(input, target(2, []));
  expect(plan.made).toBeUndefined();
  expect(plan.changes).toEqual({ model: "n", length: 3, tokens: 6, updated_at: AT + 1 });
  expect(plan.messages).toMatchObject([{ conversation: "made", position: 2, body: "c i", wire: null }]);
  expect(plan.appended).toMatchObject({ conversation: "made", added: 1, length: 3 });
});

test("what is there already is skipped, and only its answer is named anew", () => {
  const plan = planned(
    { messages: [say("a"), say("b", { answer: "r2" })], at: AT + 1 },
    target(0, ["a", "b"]),
  );
  expect(plan).toMatchObject({ messages: [], changes: {}, answers: [{ position: 1, answer: "r2" }] });
  expect(plan.appended).toMatchObject({ added: 0, length: 2 });
});

test("a head that changes leaves the one before", () => {
  const plan = planned({ head: "b: another head" }, target(2, []));
  expect(plan.changes).toEqual({ head: "b: " });
  expect(plan.left).toEqual(["a l"]);
});

test("messages that depart from what is there make a fork that inherits, if an answer is shared", () => {
  const of = target(1, ["b"], { named: 1, meta: "{}" });
  const input = { after: "a", messages: [say("B")] };
  expect(forkLength({ at: AT, ...input }, of)).toBe(1);
  const fork = planned(input, of, { hasAnswer: true, tokens: 2 });
  expect(fork.made).toMatchObject({ id: "made", session: "s", named: 1, title: "A title", meta: "{}" });
  expect(fork.made).toMatchObject({ length: 2, tokens: 4, fork_of: "made", fork_length: 1 });
  expect(fork.copied).toEqual({ from: "made", length: 1, citations: true });
  const unrelated = planned(input, of, { hasAnswer: false, tokens: 2 });
  expect(unrelated.made).toMatchObject({ session: null, named: 0, title: "", fork_of: null, length: 2 });
  expect(unrelated.copied).toMatchObject({ length: 1, citations: false });
});

test("messages that a client says otherwise give way, with their tokens and texts", () => {
  const of = {
    ...target(1, ["b"]),
    behind: [{ hash: "b", body: "its text", tokens: 2 }],
  };
  const plan = planned({ after: "a", instead: ["b"], messages: [say("B", { tokens: 0 })] }, of);
  expect(plan).toMatchObject({ removeFrom: 1, left: ["its text"], changes: { tokens: 2 } });
  expect(plan.appended).toMatchObject({ added: 1, length: 2, forkOf: undefined });
  // Somebody else went on meanwhile.
  expect(forkLength({ after: "a", instead: ["x"], messages: [say("B")], at: AT }, of)).toBe(1);
});

test("messages can't follow one in a conversation that is only made", () => {
  expect(() => planAppend(call({ after: "x", messages: [say("a")] }), undefined, places)).toThrow(
    /doesn't hold/,
  );
});
