import { loadavg } from "node:os";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createConversations } from "./gateway/bodies.ts";
import { type Contestant, startContestant, startPortkey } from "./gateway/contestants.ts";
import { type LoadResult, load } from "./gateway/load.ts";
import { cpuOf } from "./support/cpu-of.ts";
import { median, round, withInterval } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

/**
 * precis beside a minimal proxy and another gateway in one run, in turns, so that all meet the same machine. A machine may
 * be half again as fast in one second as in the next, so there are many short rounds, and their medians are compared.
 *
 *   node bench/gateway.ts
 *
 * ROUNDS, MS (of a round) and WARM_MS change how long it takes. BEFORE, the folder of an older clone of this project with its packages installed, runs that one, too, and the
 * result says how far apart the two are.
 */

const ROUNDS = Number(process.env["ROUNDS"] ?? 21);
/** The other gateway is several times slower: every so many rounds are enough to see that. */
const OTHERS_EVERY = 3;
const MS = Number(process.env["MS"] ?? 1_500);
/** Compiled code is what is measured: each contestant first gets so many requests, or so much time. */
const WARM_REQUESTS = 30_000;
const WARM_MS = Number(process.env["WARM_MS"] ?? 12_000);
/** Before each round, so that work which is put off is under way when it begins, as when it ends. */
const LEAD_MS = 700;
/** What was put off is begun a second later: who comes next mustn't share the machine with it. */
const REST_MS = 1_300;
/** It is done when the process uses less than this share of a core, looked at so often, and waited for no longer than this (milliseconds). */
const IDLE_SHARE = 0.1;
const LOOK_MS = 250;
const MOST_REST_MS = 30_000;
const PATH = "/v1/chat/completions";
/** As it comes, and without a store, which is what the others do. */
const OWN = ["precis", "precis --no-store"];
const OLDER = ["before", "before --no-store"];
const BEFORE = process.env["BEFORE"];

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

const NO_STORE = '{"store":false}';
const olderFile = (clone: string) => resolve(clone, "bench/gateway/precis.ts");
const upstream = await startContestant("upstream", "upstream.ts");
const portkey = await startPortkey(upstream.url);
const near: readonly Contestant[] = [
  await startContestant("minimal", "minimal-proxy.ts", [upstream.url]),
  await startContestant(OWN[0]!, "precis.ts", [upstream.url]),
  await startContestant(OWN[1]!, "precis.ts", [upstream.url, NO_STORE]),
  ...(BEFORE === undefined
    ? []
    : [
        await startContestant(OLDER[0]!, olderFile(BEFORE), [upstream.url]),
        await startContestant(OLDER[1]!, olderFile(BEFORE), [upstream.url, NO_STORE]),
      ]),
];
const contestants = [...near, ...portkey];

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
    connections: KINDS[kind].connections,
    bodies: () => createConversations({ ...KINDS[kind], seed: ++seed }),
    ...limit,
  });
  const requests = (result.perSecond * (performance.now() - started)) / 1_000;
  return { ...result, cpuUs: (cpuOf(child.pid!) - before) / requests };
};

/** Waits until a contestant that stores what it passed on has done what it put off. */
async function rest({ name, child }: Contestant): Promise<void> {
  if (name !== OWN[0] && name !== OLDER[0]) return;
  await setTimeout(REST_MS);
  const until = performance.now() + MOST_REST_MS;
  for (let share = 1; share > IDLE_SHARE && performance.now() < until; ) {
    const before = cpuOf(child.pid!);
    await setTimeout(LOOK_MS);
    share = (cpuOf(child.pid!) - before) / (LOOK_MS * 1_000);
  }
}

const results = {} as Record<Kind, Record<string, Measured[]>>;
for (const kind of Object.keys(KINDS) as Kind[]) {
  const row: Record<string, Measured[]> = Object.fromEntries(contestants.map(({ name }) => [name, []]));
  results[kind] = row;
  for (const one of contestants) {
    await measure(kind, one, { ms: WARM_MS, requests: WARM_REQUESTS });
    await rest(one);
  }
  for (let turn = 0; turn < ROUNDS; turn++)
    for (const one of turn % OTHERS_EVERY === 0 ? contestants : near) {
      await measure(kind, one, { ms: LEAD_MS });
      row[one.name]!.push(await measure(kind, one, { ms: MS }));
      await rest(one);
    }
}
for (const { child } of [...contestants, upstream]) child.disconnect();

const medianOf = (kind: Kind, name: string, what: "perSecond" | "p50") =>
  median(results[kind][name]!.map((round) => round[what]));
const ratio = (kind: Kind, to: string, one = "precis") =>
  round(medianOf(kind, one, "perSecond") / medianOf(kind, to, "perSecond"), 2);
const oneByOne = (name: string) => medianOf("2 KB, one by one", name, "p50");
const added = round(oneByOne("precis") - oneByOne("minimal"), 2);
/** Requests per second of each, of the minimal proxy's and the other gateway's. */
const ratios = Object.fromEntries(
  (Object.keys(KINDS) as Kind[]).map((kind) => [
    kind,
    Object.fromEntries(
      OWN.map((own) => [
        own,
        Object.fromEntries(
          contestants
            .filter(({ name }) => ![...OWN, ...OLDER].includes(name))
            .map(({ name }) => [name, ratio(kind, name, own)]),
        ),
      ]),
    ),
  ]),
);
/**
 * Now by before, in pairs of rounds that followed each other: requests per second and processor time for each request, each
 * with the interval that holds 95 of 100 medians of as many pairs drawn again.
 */
const sinceBefore = () =>
  Object.fromEntries(
    (Object.keys(KINDS) as Kind[]).map((kind) => [
      kind,
      Object.fromEntries(
        OWN.map((own, index) => {
          const pairs = results[kind][own]!.map(
            (now, turn) => [now, results[kind][OLDER[index]!]![turn]!] as const,
          );
          return [
            own,
            {
              perSecond: withInterval(pairs.map(([now, before]) => now.perSecond / before.perSecond)),
              cpuUs: withInterval(pairs.map(([now, before]) => now.cpuUs / before.cpuUs)),
            },
          ];
        }),
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
  loadOfMachine: round(loadavg()[0] ?? 0, 1),
  goals,
  ratios,
  ...(BEFORE !== undefined && { sinceBefore: sinceBefore() }),
  results: Object.fromEntries(
    Object.entries(results).map(([kind, row]) => [
      kind,
      Object.fromEntries(Object.entries(row).map(([name, of]) => [name, medians(of)])),
    ]),
  ),
  ...(portkey.length > 0 ? {} : { portkey: "not installed: `npm ci` in bench/gateway/portkey failed" }),
});
process.exit(0);
