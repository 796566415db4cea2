import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "../../src/config/parse-config.ts";
import { createGateway } from "../../src/gateway/create-gateway.ts";

/** precis serve as it comes: transcripts in an SQLite file. Options as JSON in the second argument. */

const db = join(tmpdir(), `precis-bench-${process.pid}.db`);
const options = JSON.parse(process.argv[3] ?? "{}") as object;
const running = await createGateway(
  parseConfig({
    port: 0,
    db,
    log: "warn",
    upstreams: [{ name: "bench", baseURL: process.argv[2]! }],
    ...options,
  }),
);
const url = await running.listen();
process.send?.({ url });
process.on("message", (word: unknown) => {
  if (word === "memory") {
    globalThis.gc?.();
    process.send?.({ memory: process.memoryUsage().rss });
  }
});
process.on("disconnect", () => {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(db + suffix, { force: true });
  process.exit(0);
});
