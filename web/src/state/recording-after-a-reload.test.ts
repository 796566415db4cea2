/** A recorded stream is still there when the page is loaded anew. */
import { afterEach, expect, it, vi } from "vitest";
import type { Api } from "./api-client.ts";
import { createStreamReplay } from "./stream-replay.ts";

const browserWith = (room: number) => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    removeItem: (key: string) => kept.delete(key),
    setItem(key: string, value: string) {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
  });
};
const api = {
  call: async (_: unknown, { body }: { body: { file: { name: string } } }) => ({ title: body.file.name }),
};
const load = () => createStreamReplay(api as unknown as Api);

afterEach(() => vi.unstubAllGlobals());

it("with the options that it was looked at with", async () => {
  browserWith(10_000);
  const before = load();
  await before.open("repair.jsonl", '{"role":"frames"}');
  await before.change({ window: 2_048 });
  const after = load();
  await after.resume();
  expect(after.store.get()).toMatchObject({ answer: { title: "repair.jsonl" }, options: { window: 2_048 } });
});

it("one that the browser has no room for says so, with what to do", async () => {
  browserWith(500);
  await load().open("long.jsonl", "x".repeat(1_000));
  const after = load();
  await after.resume();
  expect(after.store.get().answer).toBeUndefined();
  expect(after.store.get().error?.message).toContain("long.jsonl");
});
