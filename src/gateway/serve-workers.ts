import cluster, { type Worker } from "node:cluster";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { createGateway } from "./create-gateway.ts";
import type { SentEvent } from "./live/live.ts";

/** A worker that dies sooner than this after its start is not started again at once (milliseconds). */
const RESTART_PAUSE_MS = 1_000;

type Word =
  | { readonly type: "listening"; readonly address: string }
  | { readonly type: "event"; readonly event: SentEvent };

/** One server in several processes on one port. The first process only starts and watches the others. */
export async function serveWorkers(
  config: GatewayConfig,
  version: string,
  signal: AbortSignal,
  onListening: (address: string) => void,
): Promise<void> {
  if (cluster.isPrimary) await watch(config.workers, signal, onListening);
  else await work(config, version, signal);
}

async function watch(
  count: number,
  signal: AbortSignal,
  onListening: (address: string) => void,
): Promise<void> {
  let told = false;
  const alive = new Set<Worker>();
  const start = (): void => {
    const worker = cluster.fork();
    alive.add(worker);
    worker.on("message", (word: Word) => {
      if (word.type === "event") {
        for (const other of alive) if (other !== worker) other.send(word);
      } else if (!told) {
        told = true;
        onListening(word.address);
      }
    });
    worker.on("exit", () => {
      alive.delete(worker);
      if (!signal.aborted) setTimeout(() => !signal.aborted && start(), RESTART_PAUSE_MS);
    });
  };
  for (let i = 0; i < count; i++) start();
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  // Not `worker.kill`: that waits for connections which clients keep open.
  for (const worker of alive) worker.process.kill("SIGTERM");
  while (alive.size > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function work(config: GatewayConfig, version: string, signal: AbortSignal): Promise<void> {
  const running = await createGateway(config, {
    version,
    share: (event) => process.send?.({ type: "event", event } satisfies Word),
  });
  process.on("message", (word: Word) => {
    if (word.type === "event") running.gateway.live.receive(word.event);
  });
  const address = await running.listen();
  process.send?.({ type: "listening", address } satisfies Word);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
    // The first process is gone: nobody would end this one.
    process.once("disconnect", () => resolve());
  });
  await running.close();
  process.disconnect?.();
}
