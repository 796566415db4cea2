import { setImmediate as breathe } from "node:timers/promises";
import { parseConfig } from "../../src/config/parse-config.ts";
import { createGateway } from "../../src/gateway/create-gateway.ts";

/**
 * A gateway in a process of its own that tells, whenever it is asked, how much it holds in memory once everything that nobody needs is
 * collected (bytes). Its config is the first argument. To be started with `--expose-gc`.
 */

const running = await createGateway(
  parseConfig({ port: 0, db: "memory", log: "silent", ...(JSON.parse(process.argv[2]!) as object) }),
);
process.on("message", async () => {
  globalThis.gc!();
  // Buffers are given back a moment after they were collected.
  await breathe();
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  process.send!({ held: heapUsed + external });
});
process.on("disconnect", () => process.exit(0));
process.send!({ url: await running.listen() });
