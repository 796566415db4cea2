import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseConfig } from "../../src/config/parse-config.ts";
import { createGateway } from "../../src/gateway/create-gateway.ts";

/**
 * A gateway that tells the longest time that its event loop stood still since it was asked before, and how much of the processor
 * its thread used in the longest one: other programs make the former longer, not the latter.
 */

const RESOLUTION_MS = 5;
const NS_PER_MS = 1e6;
const US_PER_MS = 1e3;

const running = await createGateway(
  parseConfig({
    port: 0,
    db: process.argv[3] ?? "memory",
    log: "silent",
    redact: true,
    window: "32k",
    upstreams: [{ name: "bench", baseURL: process.argv[2]! }],
  }),
);
const url = await running.listen();
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let longestUs = 0;
let before = process.threadCpuUsage();
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  longestUs = Math.max(longestUs, user + system);
  before = process.threadCpuUsage();
}, RESOLUTION_MS);
process.on("message", () => {
  process.send?.({ stallMs: delay.max / NS_PER_MS, cpuMs: longestUs / US_PER_MS });
  delay.reset();
  longestUs = 0;
});
process.on("disconnect", () => process.exit(0));
process.send?.({ url });
