import { expect, it } from "vitest";
import type { Divider } from "../../../src/gateway/api.ts";
import { message } from "./testing/fake-server.ts";
import { createTranscript, rowsOf } from "./transcript.ts";

const divider = (after: number): Divider => ({
  after,
  checkpoint: `c${after}`,
  at: after,
  text: "",
  covers: [],
  dropped: 0,
  edited: 0,
  tokens: { before: 0, after: 0 },
  summaries: [],
});

it("finds every row both ways", () => {
  const rows = rowsOf(5, [divider(3), divider(1)]);
  expect(rows.count).toBe(7);
  const names = Array.from({ length: 7 }, (_, n) => {
    const row = rows.row(n);
    return row.type === "message" ? row.index : row.divider.checkpoint;
  });
  expect(names).toEqual([0, 1, "c1", 2, 3, "c3", 4]);
  for (const index of [0, 1, 2, 3, 4]) expect(names[rows.rowOfMessage(index)]).toBe(index);
  expect(rows.rowOfDivider("c3")).toBe(5);
});

/** A server that has these messages, read as the page reads them. */
function longTalk(words: (index: number) => string) {
  const all = (length: number) =>
    Array.from({ length }, (_, n) => ({ ...message(n, "user", words(n)), hash: `${words(n)} ${n}` }));
  const server = { messages: all(500) };
  const api = {
    call: async (_: unknown, { query }: { query: { last?: number; from?: number; to?: number } }) => {
      const { messages } = server;
      const from = query.from ?? Math.max(0, messages.length - (query.last ?? 0));
      return { from, total: messages.length, messages: messages.slice(from, query.to), dividers: [] };
    },
  };
  return { server, all, transcript: createTranscript(api as never, "c") };
}

it("forgets what it read of another branch, and keeps it while the branch is the same", async () => {
  let branch = "first";
  const { server, all, transcript } = longTalk((n) => (n < 50 ? "both" : branch));
  const known = () => [...transcript.store.get().messages.values()].map(({ hash }) => hash);
  await transcript.refresh();
  transcript.ensure(0, 100);
  await expect.poll(() => known().length).toBe(300);
  server.messages = all(501);
  await transcript.refresh();
  expect(known().length).toBe(301);
  branch = "second";
  server.messages = all(450);
  await transcript.refresh();
  expect(transcript.store.get().total).toBe(450);
  expect(known().filter((hash) => hash.startsWith("first"))).toEqual([]);
  transcript.ensure(0, 100);
  await expect.poll(() => known().length).toBe(300);
});
