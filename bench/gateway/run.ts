import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createConversations } from "./bodies.ts";
import { type LoadResult, load } from "./load.ts";

/**
 * precis beside a minimal proxy in one run, in turns, so that both meet the same machine.
 *
 *   node bench/gateway/run.ts
 */

const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
const MS = Number(process.env["MS"] ?? 2_000);
const PATH = "/v1/chat/completions";
const KINDS = [
  { name: "2 KB, c=32", bytes: 2_000, stream: false, connections: 32 },
  { name: "2 KB, c=1", bytes: 2_000, stream: false, connections: 1 },
  { name: "200 KB, c=16", bytes: 200_000, stream: false, connections: 16 },
  { name: "streamed 2 KB, c=16", bytes: 2_000, stream: true, connections: 16 },
] as const;

interface Started {
  readonly url: string;
  readonly child: ChildProcess;
}

function start(file: string, ...args: string[]): Promise<Started> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: ["--expose-gc"] });
  return new Promise((resolve) =>
    child.once("message", (word: { url: string }) => resolve({ url: word.url, child })),
  );
}

const upstream = await start("upstream.ts");
const contestants = {
  minimal: await start("minimal-proxy.ts", upstream.url),
  precis: await start("precis.ts", upstream.url),
  "precis --no-store": await start("precis.ts", upstream.url, '{"store":false}'),
};
type Name = keyof typeof contestants;
let seed = 0;
const best: Record<string, Partial<Record<Name, LoadResult>>> = {};
for (const kind of KINDS) {
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(contestants) as Name[]) {
      const result = await load({
        url: contestants[name].url,
        path: PATH,
        connections: kind.connections,
        ms: round === 0 ? MS / 2 : MS,
        bodies: () => createConversations({ ...kind, turns: kind.bytes > 10_000 ? 20 : 1, seed: ++seed }),
      });
      const row = best[kind.name] ?? {};
      best[kind.name] = row;
      if (round > 0 && (row[name]?.perSecond ?? 0) < result.perSecond) row[name] = result;
    }
  }
}
console.log(
  "| kind | contestant | requests/s | of minimal | p50 ms | p99 ms | failed |\n| --- | --- | --- | --- | --- | --- | --- |",
);
for (const [kind, row] of Object.entries(best))
  for (const [name, result] of Object.entries(row))
    console.log(
      `| ${kind} | ${name} | ${result.perSecond.toFixed(0)} | ${((100 * result.perSecond) / row.minimal!.perSecond).toFixed(0)} % | ${result.p50.toFixed(2)} | ${result.p99.toFixed(2)} | ${result.failed} |`,
    );
for (const { child } of [...Object.values(contestants), upstream]) child.disconnect();
process.exit(0);
