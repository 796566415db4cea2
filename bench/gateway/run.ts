import { loadavg } from "node:os";
import { cpuOf } from "../support/cpu-of.ts";
import { median, round } from "../support/statistics.ts";
import { writeResult } from "../support/write-result.ts";
import { createConversations } from "./bodies.ts";
import { type Contestant, startContestant, startPortkey } from "./contestants.ts";
import { type LoadResult, load } from "./load.ts";

/**
 * precis beside a minimal proxy and another gateway in one run, in turns, so that all meet the same machine. A machine may
 * be half again as fast in one second as in the next, so each round is compared with the others' rounds next to it, and the
 * median of these comparisons counts.
 *
 *   node bench/gateway/run.ts
 *
 * ROUNDS, MS (of a round) and WARM_MS change how long it takes; PORTKEY_NODE, the path of another Node, runs the other gateway
 * on that one, too. CLIENTS=light asks with less work for each request, which leaves more of the machine to the contestants.
 */

const ROUNDS = Number(process.env["ROUNDS"] ?? 9);
const MS = Number(process.env["MS"] ?? 1_500);
/** Compiled code is what is measured: each contestant first gets so many requests, or so much time. */
const WARM_REQUESTS = 30_000;
const WARM_MS = Number(process.env["WARM_MS"] ?? 12_000);
/** Before each round, so that work which is put off (journals are applied later) is under way when it begins, as when it ends. */
const LEAD_MS = 700;
const PATH = "/v1/chat/completions";
const CLIENTS = process.env["CLIENTS"] === "light" ? "light" : "node";
/** As it comes, and without a store, which is what the others do. */
const OWN = ["precis", "precis --no-store"];

/** With the processor time that the contestant used for each request, all of its threads together. */
interface Measured extends LoadResult {
  readonly cpuUs: number;
}

const KINDS = {
  "2 KB": { bytes: 2_000, stream: false, connections: 32, turns: 1 },
  "2 KB, one by one": { bytes: 2_000, stream: false, connections: 1, turns: 1 },
  "200 KB": { bytes: 200_000, stream: false, connections: 16, turns: 20 },
  "streamed, 2 KB": { bytes: 2_000, stream: true, connections: 16, turns: 1 },
} as const;
type Kind = keyof typeof KINDS;

const upstream = await startContestant("upstream", "upstream.ts");
const portkey = await startPortkey(upstream.url);
const contestants: readonly Contestant[] = [
  await startContestant("minimal", "minimal-proxy.ts", [upstream.url]),
  await startContestant(OWN[0]!, "precis.ts", [upstream.url]),
  await startContestant(OWN[1]!, "precis.ts", [upstream.url, '{"store":false}']),
  ...portkey,
];

let seed = 0;
const measure = async (
  kind: Kind,
  { url, headers, child }: Contestant,
  limit: { ms: number; requests?: number },
): Promise<Measured> => {
  const before = cpuOf(child.pid!);
  const started = performance.now();
  const result = await load({
    url,
    headers,
    path: PATH,
    clients: CLIENTS,
    connections: KINDS[kind].connections,
    bodies: () => createConversations({ ...KINDS[kind], seed: ++seed }),
    ...limit,
  });
  const requests = (result.perSecond * (performance.now() - started)) / 1_000;
  return { ...result, cpuUs: (cpuOf(child.pid!) - before) / requests };
};

const results = {} as Record<Kind, Record<string, Measured[]>>;
for (const kind of Object.keys(KINDS) as Kind[]) {
  const row: Record<string, Measured[]> = Object.fromEntries(contestants.map(({ name }) => [name, []]));
  results[kind] = row;
  for (const one of contestants) await measure(kind, one, { ms: WARM_MS, requests: WARM_REQUESTS });
  for (let turn = 0; turn < ROUNDS; turn++)
    for (const one of contestants) {
      await measure(kind, one, { ms: LEAD_MS });
      row[one.name]!.push(await measure(kind, one, { ms: MS }));
    }
}
for (const { child } of [...contestants, upstream]) child.disconnect();

/** Of two contestants, round by round. */
const compare = (kind: Kind, one: string, other: string, by: (one: Measured, other: Measured) => number) =>
  round(median(results[kind][one]!.map((own, turn) => by(own, results[kind][other]![turn]!))), 2);
const ratio = (kind: Kind, to: string, one = "precis") =>
  compare(kind, one, to, (own, other) => own.perSecond / other.perSecond);
const added = compare("2 KB, one by one", "precis", "minimal", (own, other) => own.p50 - other.p50);
/** Requests per second of each, of the minimal proxy's and the other gateway's. */
const ratios = Object.fromEntries(
  (Object.keys(KINDS) as Kind[]).map((kind) => [
    kind,
    Object.fromEntries(
      OWN.map((own) => [
        own,
        Object.fromEntries(
          contestants
            .filter(({ name }) => !OWN.includes(name))
            .map(({ name }) => [name, ratio(kind, name, own)]),
        ),
      ]),
    ),
  ]),
);
const goals = [
  { goal: "2 KB, of minimal", least: 0.7, is: ratio("2 KB", "minimal") },
  { goal: "200 KB, of minimal", least: 0.9, is: ratio("200 KB", "minimal") },
  { goal: "streamed, of minimal", least: 0.7, is: ratio("streamed, 2 KB", "minimal") },
  { goal: "added at p50, ms", most: 0.3, is: added },
  ...(portkey.length > 0
    ? [
        { goal: "2 KB, times portkey", least: 8, is: ratio("2 KB", "portkey") },
        { goal: "streamed, times portkey", least: 8, is: ratio("streamed, 2 KB", "portkey") },
      ]
    : []),
].map((one) => ({ ...one, holds: "least" in one ? one.is >= (one.least ?? 0) : one.is <= (one.most ?? 0) }));

const medians = (of: readonly Measured[]) => ({
  perSecond: round(median(of.map(({ perSecond }) => perSecond)), 0),
  p50: round(median(of.map(({ p50 }) => p50)), 2),
  p99: round(median(of.map(({ p99 }) => p99)), 2),
  failed: of.reduce((sum, { failed }) => sum + failed, 0),
  cpuUs: round(median(of.map(({ cpuUs }) => cpuUs)), 0),
});
writeResult({
  clients: CLIENTS,
  loadOfMachine: round(loadavg()[0] ?? 0, 1),
  goals,
  ratios,
  results: Object.fromEntries(
    Object.entries(results).map(([kind, row]) => [
      kind,
      Object.fromEntries(Object.entries(row).map(([name, of]) => [name, medians(of)])),
    ]),
  ),
  ...(portkey.length > 0 ? {} : { portkey: "not installed: `npm ci` in bench/gateway/portkey failed" }),
});
process.exit(0);
