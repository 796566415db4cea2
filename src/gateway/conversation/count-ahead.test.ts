import { expect, test } from "vitest";
import type { Message } from "../../core/types.ts";
import { createWindows } from "../compaction/windows.ts";
import { countAhead, isCountingLong, type Loaded } from "./loaded.ts";

const parts = { windows: createWindows({}) };

/** A transcript that is counted in many pieces. */
function longTalk(): Loaded {
  const messages = Array.from({ length: 3_000 }, (_, n): Message => {
    const text = `${n} ${Math.random()} `.repeat(40);
    return { role: "user", parts: [{ type: "text", text }] };
  });
  const choice = { upstream: undefined, model: "gpt-4o", tenant: "t" };
  return { conversation: { tokens: 1_000_000 }, messages, choice } as unknown as Loaded;
}

test("several who need the counts of one conversation at a time all get them", async () => {
  const loaded = longTalk();
  const seen: number[] = [];
  await Promise.all([
    countAhead(parts, loaded),
    countAhead(parts, loaded, { onProgress: (n) => seen.push(n) }),
    countAhead(parts, loaded),
  ]);
  expect(seen.length).toBeGreaterThan(0);
  expect(isCountingLong(loaded)).toBe(false);
});

test("who leaves doesn't end it for the others, and the last one does", async () => {
  const loaded = longTalk();
  const leaver = new AbortController();
  const left = countAhead(parts, loaded, { signal: leaver.signal, onProgress: () => leaver.abort() });
  const stays = countAhead(parts, loaded);
  await expect(left).rejects.toThrow();
  await stays;
  expect(isCountingLong(loaded)).toBe(false);
  const alone = longTalk();
  const last = new AbortController();
  await expect(
    countAhead(parts, alone, { signal: last.signal, onProgress: () => last.abort() }),
  ).rejects.toThrow();
  expect(isCountingLong(alone)).toBe(true);
});
