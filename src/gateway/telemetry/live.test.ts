import { expect, test } from "vitest";
import type { LiveEvent } from "../api.ts";
import { createLive, type SentEvent } from "./live.ts";

const deleted = (id: string): LiveEvent => ({ type: "conversation-deleted", id });
const answer = (text: string): LiveEvent => ({ type: "answer", conversation: "c", text });

test("a page that lost its connection gets what came after its last event, and nothing twice", () => {
  const live = createLive();
  const seen: SentEvent[] = [];
  const first = live.listen("t", undefined, (event) => seen.push(event));
  live.send("t", deleted("a"));
  live.send("other", deleted("b"));
  first.stop();
  live.send("t", deleted("c"));
  const again = live.listen("t", seen.at(-1)?.id, () => {});
  expect(again.missed).toBe(false);
  expect(again.replay.map(({ event }) => event)).toEqual([deleted("c")]);
});

test("a page that was told hello and nothing else misses nothing", () => {
  const live = createLive();
  const { id, stop } = live.listen("t", undefined, () => {});
  stop();
  live.send("t", deleted("a"));
  const again = live.listen("t", id, () => {});
  expect(again.missed).toBe(false);
  expect(again.replay.map(({ event }) => event)).toEqual([deleted("a")]);
});

test("the id of another server's event is not known: everything is to be read anew", () => {
  const live = createLive();
  live.send("t", deleted("a"));
  expect(live.listen("t", "elsewhere-7", () => {})).toMatchObject({ missed: true, replay: [] });
});

test("of something that grows, who comes later gets the newest, until it has ended", () => {
  const live = createLive();
  const seen: LiveEvent[] = [];
  live.send("t", deleted("a"));
  live.listen("t", undefined, ({ event }) => seen.push(event));
  live.show("t", "answer c", answer("one"));
  live.show("t", "answer c", answer("one two"));
  expect(seen).toEqual([answer("one"), answer("one two")]);
  const late = live.listen("t", undefined, () => {});
  expect(late.replay.map(({ event }) => event)).toEqual([answer("one two")]);
  // Its id is that of the last remembered event, so that going on from it loses nothing.
  expect(live.listen("t", late.replay[0]?.id, () => {}).missed).toBe(false);
  live.endShow("t", "answer c");
  expect(live.listen("t", undefined, () => {}).replay).toEqual([]);
});
