import { setTimeout as wait } from "node:timers/promises";

/**
 * Another client: asks `/healthz` again and again, and tells its longest answer since it was asked before. A process of its own,
 * because whoever sends 60 MB is busy with that and would measure itself.
 */

/** Between two questions (milliseconds). */
const ASK_EVERY_MS = 20;

const url = process.argv[2]!;
let longestMs = 0;
process.on("message", () => {
  process.send?.({ healthMs: longestMs });
  longestMs = 0;
});
process.on("disconnect", () => process.exit(0));
process.send?.({ url });
for (;;) {
  const began = performance.now();
  await (await fetch(`${url}/healthz`)).arrayBuffer();
  longestMs = Math.max(longestMs, performance.now() - began);
  await wait(ASK_EVERY_MS);
}
