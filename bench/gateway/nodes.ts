import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { startPostgres } from "../../test/support/postgres.ts";
import { round } from "../support/statistics.ts";
import { writeResult } from "../support/write-result.ts";
import { createConversations } from "./bodies.ts";
import { type Contestant, startContestant } from "./contestants.ts";
import { load } from "./load.ts";

/**
 * One, two and three nodes on one PostgreSQL: requests per second, and what a request costs a node and the database. On a
 * machine with few cores the cores are the limit; the cost tells where the database would be.
 */

const NODES = 3;
const MS = Number(process.env["MS"] ?? 5_000);
const WARM_MS = Number(process.env["WARM_MS"] ?? 5_000);
const CONNECTIONS_PER_NODE = 16;
/** A tick of the kernel's clock, in microseconds. */
const TICK_US = 10_000;

/** Processor time of processes, in microseconds. */
function cpuOf(isMeant: (name: string, pid: number) => boolean): number {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (isMeant(name, Number(pid))) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks * TICK_US;
}

const foreign = new Set(readdirSync("/proc"));
const postgres = await startPostgres();
const db = await postgres.database();
const upstream = await startContestant("upstream", "upstream.ts");
const nodes: Contestant[] = [];
const rows: Record<string, number>[] = [];
let seed = 0;
for (let count = 1; count <= NODES; count++) {
  nodes.push(await startContestant(`node ${count}`, "precis.ts", [upstream.url, JSON.stringify({ db })]));
  const pids = new Set(nodes.map(({ child }) => child.pid));
  const once = async (ms: number) => {
    const results = await Promise.all(
      nodes.map(({ url }) =>
        load({
          url,
          path: "/v1/chat/completions",
          connections: CONNECTIONS_PER_NODE,
          ms,
          bodies: () => createConversations({ bytes: 2_000, stream: false, turns: 4, seed: ++seed }),
        }),
      ),
    );
    return {
      perSecond: results.reduce((sum, one) => sum + one.perSecond, 0),
      failed: results.reduce((sum, one) => sum + one.failed, 0),
      p50: Math.max(...results.map(({ p50 }) => p50)),
    };
  };
  await once(WARM_MS);
  const isNode = (_name: string, pid: number) => pids.has(pid);
  const isPostgres = (name: string, pid: number) => name === "postgres" && !foreign.has(String(pid));
  const before = { node: cpuOf(isNode), postgres: cpuOf(isPostgres) };
  const { perSecond, failed, p50 } = await once(MS);
  const requests = (perSecond * MS) / 1_000;
  rows.push({
    nodes: count,
    perSecond: round(perSecond, 0),
    p50: round(p50, 1),
    failed,
    nodeUsPerRequest: round((cpuOf(isNode) - before.node) / requests, 0),
    postgresUsPerRequest: round((cpuOf(isPostgres) - before.postgres) / requests, 0),
  });
}
for (const { child } of [...nodes, upstream]) child.disconnect();
await postgres.stop();
writeResult({ cores: availableParallelism(), rows });
process.exit(0);
