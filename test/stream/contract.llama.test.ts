import { afterAll } from "vitest";
import type { OpenedLlamaCpp } from "../../src/stream/caches/llama-cpp.ts";
import { describeKvCache } from "../../src/testing/kv-cache-contract.ts";
import { openTiny } from "./open-tiny.ts";

const all: OpenedLlamaCpp[] = [];
afterAll(async () => {
  for (const { close } of all) await close();
});

for (const positions of ["shift", "feed"] as const) {
  for (const bos of [false, true]) {
    /** Two at a time are in use; opening one takes a second. */
    const pool: OpenedLlamaCpp[] = [];
    let turn = 0;
    describeKvCache({
      name: `llama.cpp, ${positions}${bos ? ", with a first token" : ""}`,
      async open() {
        const at = turn++ % 2;
        const opened =
          pool[at] ?? (await openTiny({ layers: 1, dim: 32, heads: 2, bos }, { window: 2_048, positions }));
        if (pool[at] === undefined) all.push(opened);
        pool[at] = opened;
        await opened.cache.reset();
        return opened.cache;
      },
    });
  }
}
