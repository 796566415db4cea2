import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseConfig } from "../../src/config/parse-config.ts";
import { createGateway } from "../../src/gateway/create-gateway.ts";

/** A gateway that tells the longest time that its event loop stood still since it was asked before. */

const RESOLUTION_MS = 5;
const NS_PER_MS = 1e6;

const running = await createGateway(
  parseConfig({
    port: 0,
    db: "memory",
    log: "silent",
    redact: true,
    window: "32k",
    upstreams: [{ name: "bench", baseURL: process.argv[2]! }],
  }),
);
const url = await running.listen();
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on("message", () => {
  process.send?.({ stallMs: delay.max / NS_PER_MS });
  delay.reset();
});
process.on("disconnect", () => process.exit(0));
process.send?.({ url });
