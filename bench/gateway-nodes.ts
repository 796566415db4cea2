import { availableParallelism } from "node:os";
import { postgresStore } from "../src/stores/postgres.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { createConversations } from "./gateway/bodies.ts";
import { type Contestant, startContestant } from "./gateway/contestants.ts";
import { load } from "./gateway/load.ts";
import { cpuOfAll, cpuOfThose, processes } from "./support/cpu-of.ts";
import { round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

/**
 * One, two and three nodes on one PostgreSQL. No client stays with a node: each request of a conversation goes to another
 * one than the request before it.
 *
 * - `fast`: an upstream that answers at once, as many requests as go through. On a machine with few cores the cores are the
 *   limit, and nodes share them; what a request costs PostgreSQL tells where the database would be.
 * - `paced`: an upstream that takes as long as a model does, and so many clients for each node. As long as there are cores
 *   to spare, each node adds what the first one did.
 */

const NODES = 3;
/** One, two and three nodes are measured in turn, so often; the round with the median throughput counts. */
const ROUNDS = 3;
const MS = Number(process.env["MS"] ?? 3_000);
const CONVERSATIONS_BEFORE = Number(process.env["BEFORE"] ?? 20_000);
const FILL_BATCH = 200;
const WARM_MS = Number(process.env["WARM_MS"] ?? 5_000);
const RUNS = {
  fast: { clientsPerNode: 16, upstreamMs: 0 },
  paced: { clientsPerNode: 24, upstreamMs: 400 },
} as const;
const SECOND_US = 1_000_000;

const foreign = new Set(processes());
const isPostgres = (name: string, pid: number) => name === "postgres" && !foreign.has(pid);
const postgres = await startPostgres();
let seed = 0;

/** A database that has been in use for a while: plans that were made for small tables aren't what is measured. */
async function fill(url: string): Promise<void> {
  const store = postgresStore({ url });
  const at = Date.now();
  for (let n = 0; n < CONVERSATIONS_BEFORE; n += FILL_BATCH) {
    const ids = Array.from({ length: FILL_BATCH }, (_, index) => n + index);
    await Promise.all(
      ids.map((id) => {
        const wire = (role: string) =>
          JSON.stringify({ role, content: `${role} ${id} ${"word ".repeat(200)}` });
        const message = (role: "user" | "assistant") => ({
          hash: `${role}${id}`,
          role,
          wire: wire(role),
          at,
        });
        const messages = [message("user"), message("assistant")];
        return store.conversations.append("default", { session: `before ${id}`, isNew: true, messages, at });
      }),
    );
  }
  await store.upkeep.vacuum();
  await store.close();
}

type Row = Readonly<Record<"nodes" | "perSecond" | "p50" | "p99" | "failed", number>> &
  Readonly<Record<string, number>>;

const db = await postgres.database();
const upstream = await startContestant("upstream", "upstream.ts");

async function startNodes(): Promise<readonly Contestant[]> {
  const started: Contestant[] = [];
  for (let n = 1; n <= NODES; n++)
    started.push(await startContestant(`node ${n}`, "precis.ts", [upstream.url, JSON.stringify({ db })]));
  return started;
}

const send = (nodes: readonly Contestant[], clientsPerNode: number, ms: number) =>
  load({
    url: nodes.map(({ url }) => url),
    path: "/v1/chat/completions",
    connections: clientsPerNode * nodes.length,
    ms,
    bodies: () => createConversations({ bytes: 2_000, stream: false, turns: 4, seed: ++seed }),
  });

async function measure(kind: keyof typeof RUNS): Promise<readonly Row[]> {
  const { clientsPerNode, upstreamMs } = RUNS[kind];
  upstream.child.send({ delayMs: upstreamMs });
  await send(started, clientsPerNode, WARM_MS);
  const rounds: Row[][] = started.map(() => []);
  for (let n = 0; n < ROUNDS * NODES; n++) {
    const nodes = started.slice(0, 1 + (n % NODES));
    const pids = new Set(nodes.map(({ child }) => child.pid));
    const cpu = () => ({
      node: cpuOfThose((_name, pid) => pids.has(pid)),
      postgres: cpuOfThose(isPostgres),
      all: cpuOfAll(),
    });
    const before = cpu();
    const { perSecond, failed, p50, p99 } = await send(nodes, clientsPerNode, MS);
    const after = cpu();
    const requests = (perSecond * MS) / 1_000;
    const postgresUs = (after.postgres - before.postgres) / requests;
    rounds[nodes.length - 1]!.push({
      nodes: nodes.length,
      perSecond: round(perSecond, 0),
      p50: round(p50, 1),
      p99: round(p99, 1),
      failed,
      nodeUsPerRequest: round((after.node - before.node) / requests, 0),
      postgresUsPerRequest: round(postgresUs, 0),
      perSecondOfOnePostgresCore: round(SECOND_US / postgresUs, 0),
      // Of all programs, also of those that have nothing to do with this one.
      busyCores: round((after.all - before.all) / (MS * 1_000), 2),
    });
  }
  return rounds.map((rows) => rows.sort((a, b) => a.perSecond - b.perSecond)[Math.floor(ROUNDS / 2)]!);
}

await fill(db);
const started = await startNodes();
const fast = await measure("fast");
const paced = await measure("paced");
for (const { child } of [...started, upstream]) child.disconnect();
await postgres.stop();
writeResult({ cores: availableParallelism(), runs: RUNS, fast, paced });
process.exit(0);
