import { createConversations } from "./gateway/bodies.ts";
import { type Contestant, startContestant } from "./gateway/contestants.ts";
import { load } from "./gateway/load.ts";
import { round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

/** Memory of a gateway that serves many requests of many conversations: it must not grow with either. */

const REQUESTS = Number(process.env["REQUESTS"] ?? 100_000);
const TURNS = 10;
const CONNECTIONS = 32;
const SAMPLES = 20;
const MB = 1_024 * 1_024;
/** Its caches are full after this share of the requests; from then on it may grow by no more than that. */
const SETTLED_FROM = 0.3;
const MAX_GROWTH = 1.15;

const upstream = await startContestant("upstream", "upstream.ts");
const precis = await startContestant("precis", "precis.ts", [upstream.url]);

const memoryOf = ({ child }: Contestant) =>
  new Promise<number>((resolve) => {
    child.once("message", (word: { memory: number }) => resolve(word.memory / MB));
    child.send("memory");
  });

let seed = 0;
let failed = 0;
const conversations = Array.from({ length: CONNECTIONS }, () =>
  createConversations({ bytes: 2_000, stream: false, turns: TURNS, seed: ++seed }),
);
const megabytes: number[] = [];
const started = performance.now();
for (let sample = 0; sample < SAMPLES; sample++) {
  const result = await load({
    url: precis.url,
    path: "/v1/chat/completions",
    connections: CONNECTIONS,
    ms: Number.POSITIVE_INFINITY,
    requests: REQUESTS / SAMPLES,
    bodies: (connection) => conversations[connection]!,
  });
  failed += result.failed;
  megabytes.push(round(await memoryOf(precis), 0));
  console.error(`${Math.round((REQUESTS / SAMPLES) * (sample + 1))} requests: ${megabytes.at(-1)} MB`);
}
for (const { child } of [precis, upstream]) child.disconnect();

const settled = megabytes.slice(Math.floor(SAMPLES * SETTLED_FROM));
const growth = round(Math.max(...settled.slice(-3)) / settled[0]!, 2);
writeResult({
  requests: REQUESTS,
  conversations: REQUESTS / TURNS,
  seconds: round((performance.now() - started) / 1_000, 0),
  failed,
  megabytes,
  growthOnceSettled: growth,
  allowedGrowth: MAX_GROWTH,
  holds: growth <= MAX_GROWTH && failed === 0,
});
process.exit(0);
