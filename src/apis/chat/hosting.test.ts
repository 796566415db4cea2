import { describe, expect, it } from "vitest";
import type { Json } from "../shared/fields.ts";
import { chatServed } from "./server.ts";

const own = { isHosted: (name: unknown) => name === "precis_recall" };
const chunk = (delta: Json, finish: string | null = null, more: Json = {}): Json => ({
  id: "a",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const call = (piece: Json) => chunk({ tool_calls: [piece] });
const deltas = (events: readonly Json[]) =>
  events.map(({ choices }) => (choices as { delta: Json; finish_reason: unknown }[])[0]);

describe("pieces of streams that only some servers send", () => {
  it("a call that says its name late", () => {
    const splice = chatServed.hosting!.splice(own);
    expect(splice.event(call({ index: 0, id: "c1", type: "function", function: { arguments: "" } }))).toEqual(
      [],
    );
    expect(splice.event(call({ index: 0, function: { name: "precis_recall" } }))).toEqual([]);
    expect(splice.event(call({ index: 0, function: { arguments: "{}" } }))).toEqual([]);
    splice.event(call({ index: 1, id: "c2", type: "function", function: { arguments: "" } }));
    const [named] = deltas(splice.event(call({ index: 1, function: { name: "look" } })));
    expect(named!.delta["tool_calls"]).toEqual([
      { index: 0, id: "c2", type: "function", function: { arguments: "" } },
      { index: 0, function: { name: "look" } },
    ]);
  });

  it("whole calls without their places", () => {
    const splice = chatServed.hosting!.splice(own);
    const whole = (name: string) => ({ id: name, type: "function", function: { name, arguments: "{}" } });
    const [shown] = deltas(
      splice.event(chunk({ tool_calls: [whole("look"), whole("precis_recall"), whole("read")] })),
    );
    expect(shown!.delta["tool_calls"]).toEqual([
      { ...whole("look"), index: 0 },
      { ...whole("read"), index: 1 },
    ]);
  });

  it("words, the end and usage in one piece: the words pass, the end waits", () => {
    const splice = chatServed.hosting!.splice(own);
    const usage = { prompt_tokens: 7, completion_tokens: 1 };
    const [words] = deltas(splice.event(chunk({ content: "Hi." }, "stop", { usage })));
    expect(words).toEqual({ index: 0, delta: { content: "Hi." }, finish_reason: null });
    expect(splice.end()).toEqual([chunk({}, "stop", { usage })]);
  });

  it("an error passes as it is", () => {
    const error = { error: { message: "overloaded" } };
    expect(chatServed.hosting!.splice(own).event(error)).toEqual([error]);
  });
});

it("an answer without calls of ours is the same after joining", () => {
  const refusal = {
    id: "a",
    choices: [
      { index: 0, message: { role: "assistant", content: null, refusal: "No." }, finish_reason: "stop" },
    ],
  };
  expect(chatServed.hosting!.join([refusal], own)).toEqual(refusal);
});
