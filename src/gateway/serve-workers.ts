import cluster, { type Worker } from "node:cluster";
import { randomUUID } from "node:crypto";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { ConfigError, PrecisError } from "../core/errors.ts";
import { databaseKind } from "../stores/database-kind.ts";
import { createGateway } from "./create-gateway.ts";
import type { BusyWord } from "./telemetry/busy.ts";
import type { SentEvent } from "./telemetry/live.ts";
import { createLog } from "./telemetry/log.ts";

/** What the processes of one server tell each other. What isn't for the first process, it passes on to all others. */
type Word =
  | { readonly type: "listening"; readonly address: string }
  /** It can't be started; the words are for people. */
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "event"; readonly event: SentEvent }
  /** Somebody waits for the end. */
  | { readonly type: "hurry" }
  | BusyWord
  /** A process that has just begun asks what the others have under way. */
  | { readonly type: "new" }
  /** Asks all others for what they counted, and one's answer. */
  | { readonly type: "ask"; readonly id: string }
  | { readonly type: "counts"; readonly id: string; readonly counted: object };

/** A process that doesn't answer in this time is left out (milliseconds). */
const ANSWER_MS = 1_000;

/** A worker that dies is started again after this pause (milliseconds). */
const RESTART_PAUSE_MS = 1_000;

/**
 * Long requests are garbage soon. With a young heap of this size the collector finds them in small steps; with a larger one it looks
 * through the whole heap each time (a fifth of the work for requests of 200 KB). Whoever sets another one means it.
 */
const YOUNG_HEAP = "--max-semi-space-size";
const YOUNG_HEAP_MB = 16;

/** The workers can't be started: what the first of them said. */
class WorkersError extends PrecisError {
  readonly code = "workers";
}

/** When to end: `interrupted` is somebody who waits for it. */
interface Ends {
  readonly signal: AbortSignal;
  readonly interrupted?: AbortSignal;
}

/** One server in several processes on one port. The first process only starts and watches the others. */
export async function serveWorkers(
  config: GatewayConfig,
  version: string,
  ends: Ends,
  onListening: (address: string) => void,
): Promise<void> {
  needSharedStore(config);
  if (cluster.isPrimary) await watch(config, ends, onListening);
  else await work(config, version, ends);
}

/** Conversations that only one process knows would come and go with the process that happens to answer. */
function needSharedStore({ db, store, workers }: GatewayConfig): void {
  if (!store || databaseKind(db) !== "memory") return;
  throw new ConfigError({
    option: "workers",
    message: `with --db ${db} each of the ${workers} workers would have a memory of its own.`,
    fix: "Give --db a file or postgres://…, keep nothing with --no-store, or use one worker.",
  });
}

/** The first worker starts alone: what it can't do, none can, and a database's tables are made once. */
async function watch(
  config: GatewayConfig,
  { signal, interrupted }: Ends,
  onListening: (address: string) => void,
): Promise<void> {
  const { log } = createLog(config.log);
  if (![...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((one) => one.includes(YOUNG_HEAP)))
    cluster.setupPrimary({ execArgv: [...process.execArgv, `${YOUNG_HEAP}=${YOUNG_HEAP_MB}`] });
  const alive = new Set<Worker>();
  const pass = (from: Worker, word: Word): void => {
    for (const other of alive) if (other !== from && other.isConnected()) other.send(word);
  };
  let isListening = false;
  let stop: (error?: Error) => void = () => {};
  const stopped = new Promise<Error | undefined>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener("abort", () => stop(), { once: true });

  const start = (): void => {
    const worker = cluster.fork();
    let failure = "";
    alive.add(worker);
    worker.on("message", (word: Word) => {
      if (word.type === "failed") failure = word.message;
      else if (word.type !== "listening") pass(worker, word);
      else if (!isListening) {
        isListening = true;
        onListening(word.address);
        for (let count = 1; count < config.workers; count++) start();
      }
    });
    worker.on("exit", (code, killed) => {
      alive.delete(worker);
      pass(worker, { type: "gone", worker: worker.id });
      if (signal.aborted) return;
      if (!isListening) {
        const message = failure === "" ? `precis: a worker ended with ${killed ?? code}.` : failure;
        stop(new WorkersError(message, failure === "" ? "Start it without --workers to see more." : ""));
        return;
      }
      log.error(
        { code, killed, ...(failure !== "" && { reason: failure }) },
        "a worker ended; starting another",
      );
      setTimeout(() => !signal.aborted && start(), RESTART_PAUSE_MS);
    });
  };
  start();
  const error = await stopped;
  const hurry = (): void => {
    for (const worker of alive) if (worker.isConnected()) worker.send({ type: "hurry" } satisfies Word);
  };
  if (interrupted?.aborted) hurry();
  else interrupted?.addEventListener("abort", hurry, { once: true });
  // Not `worker.kill`: that waits for connections which clients keep open.
  for (const worker of alive) worker.process.kill("SIGTERM");
  while (alive.size > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  if (error) throw error;
}

async function work(config: GatewayConfig, version: string, { signal, interrupted }: Ends): Promise<void> {
  const say = (word: Word): void => {
    if (process.connected) process.send?.(word);
  };
  const waiting = new Map<string, (counted: object) => void>();
  const gather = (own: object): Promise<readonly object[]> =>
    new Promise((resolve) => {
      const id = randomUUID();
      const all = [own];
      const done = (): void => {
        clearTimeout(late);
        waiting.delete(id);
        resolve(all);
      };
      const late = setTimeout(done, ANSWER_MS);
      waiting.set(id, (counted) => {
        if (all.push(counted) === config.workers) done();
      });
      say({ type: "ask", id });
    });
  const hurry = new AbortController();
  interrupted?.addEventListener("abort", () => hurry.abort(), { once: true });
  const ending = new Promise<undefined>((resolve) => {
    const end = (): void => resolve(undefined);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    // The first process is gone: nobody would end this one.
    process.once("disconnect", () => {
      hurry.abort();
      end();
    });
  });
  try {
    const starting = createGateway(config, {
      version,
      share: (event) => say({ type: "event", event }),
      shareBusy: (word) => say(word.type === "busy" ? { ...word, worker: cluster.worker!.id } : word),
      gather,
    });
    // A store may not answer: who is told to end meanwhile has nothing to finish.
    const running = await Promise.race([starting, ending]);
    if (!running) {
      starting.catch(() => {});
      process.disconnect?.();
      return;
    }
    const { live, busy, metrics } = running.gateway;
    process.on("message", (word: Word) => {
      if (word.type === "event") live.receive(word.event);
      else if (word.type === "busy" || word.type === "stop" || word.type === "gone") busy.receive(word);
      else if (word.type === "new") busy.announceAll();
      else if (word.type === "counts") waiting.get(word.id)?.(word.counted);
      else if (word.type === "hurry") hurry.abort();
      else if (word.type === "ask")
        void metrics.registry
          .getMetricsAsJSON()
          .then((counted) => say({ type: "counts", id: word.id, counted }));
    });
    say({ type: "new" });
    say({ type: "listening", address: await running.listen() });
    await ending;
    await running.leave(hurry.signal);
    await running.close();
    process.disconnect?.();
  } catch (error) {
    // The way to the first process would keep this one alive.
    process.channel?.unref();
    if (!(error instanceof PrecisError) || !process.connected) throw error;
    // The first process says it once for all of them.
    const word: Word = { type: "failed", message: error.message };
    await new Promise((resolve) => process.send!(word, undefined, undefined, resolve));
    process.exit(1);
  }
}
