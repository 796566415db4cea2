/**
 * How long one client can make all others wait: hostile bodies are sent one by one, while `/healthz` is asked again and
 * again. Per body: the longest time that the gateway's event loop stood still (and what of it was work of its own, not of other
 * programs), the longest answer of `/healthz`, and the status. `node bench/stall.ts`; `--share 0.1` sends a tenth of the sizes, `--db FILE` stores in SQLite, `--only TEXT` sends
 * the bodies whose names have it.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type HostileBody, hostileBodies } from "./stall/hostile-bodies.ts";
import { round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

/** So long after an answer `/healthz` is still asked (milliseconds). */
const ASKED_FOR_MS = 500;
/** An answer that takes longer is given up (milliseconds). */
const PATIENCE_MS = 120_000;

const { values } = parseArgs({
  options: {
    share: { type: "string" },
    db: { type: "string" },
    only: { type: "string" },
    json: { type: "boolean" },
  },
});
const start = async (file: string, ...args: string[]) => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args);
  const [{ url }] = (await once(child, "message")) as [{ readonly url: string }];
  return { child, url };
};
const upstream = await start("./gateway/upstream.ts");
const gateway = await start("./stall/gateway.ts", upstream.url, values.db ?? "memory");
const asker = await start("./stall/asker.ts", gateway.url);

async function stallSinceLast(): Promise<{ readonly stallMs: number; readonly cpuMs: number }> {
  gateway.child.send("stall");
  const [stall] = (await once(gateway.child, "message")) as [Awaited<ReturnType<typeof stallSinceLast>>];
  return stall;
}

/** The longest answer of `/healthz` since it was asked before. */
async function healthSinceLast(): Promise<number> {
  asker.child.send("health");
  const [{ healthMs }] = (await once(asker.child, "message")) as [{ readonly healthMs: number }];
  return healthMs;
}

async function measure({ name, path, body }: HostileBody) {
  await stallSinceLast();
  await healthSinceLast();
  const began = performance.now();
  const status = await fetch(gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
  const ms = performance.now() - began;
  // An answer that is still under way counts, too.
  await wait(ASKED_FOR_MS);
  const healthMs = await healthSinceLast();
  const { stallMs, cpuMs } = await stallSinceLast();
  return {
    name,
    bytes: body.length,
    status,
    ms: round(ms),
    healthMs: round(healthMs),
    stallMs: round(stallMs),
    cpuMs: round(cpuMs),
  };
}

const rows: Awaited<ReturnType<typeof measure>>[] = [];
for (const body of hostileBodies(Number(values.share ?? 1))) {
  if (values.only !== undefined && !body.name.includes(values.only)) continue;
  const row = await measure(body);
  rows.push(row);
  if (!values.json)
    console.error(
      `${row.name}: ${row.status} in ${row.ms} ms, /healthz ${row.healthMs} ms, stall ${row.stallMs} ms (${row.cpuMs} ms of the processor)`,
    );
}
asker.child.disconnect();
gateway.child.disconnect();
upstream.child.disconnect();
// A machine that has other things to do makes everything longer by about as much.
const busyPerCore = round((loadavg()[0] ?? 0) / availableParallelism(), 1);
writeResult({
  busyPerCore,
  longestStallMs: Math.max(...rows.map(({ stallMs }) => stallMs)),
  longestCpuMs: Math.max(...rows.map(({ cpuMs }) => cpuMs)),
  rows,
});
