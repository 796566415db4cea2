import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { quickCounter, quickGauge, quickHistogram } from "./quick-metrics.ts";

/** Seconds. Precis's own part of a request is well below a millisecond unless it compacts. */
const OWN_SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3];
const WHOLE_SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 3, 10, 30, 100, 300];
const PRESSURES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** Counters: name, help, labels. */
const COUNTERS = {
  compactions: ["precis_compactions_total", "Compactions by rung and reason.", "rung", "reason"],
  rungs: ["precis_rungs_total", "Rungs that compactions tried, by what came of them.", "rung", "outcome"],
  summaryFailures: [
    "precis_summary_failures_total",
    "Summaries that no model wrote as they must be, by the rung that took their place.",
    "fallback",
  ],
  saved: ["precis_tokens_saved_total", "Tokens of transcripts that weren't sent."],
  sent: ["precis_tokens_sent_total", "Tokens of views."],
  cost: ["precis_summary_dollars_total", "US dollars spent on summaries, where prices are known."],
  spend: ["precis_spend_dollars_total", "US dollars that requests cost, where prices are known."],
  savedDollars: [
    "precis_saved_dollars_total",
    "US dollars that requests cost less than without precis, summaries not counted.",
  ],
  lostDollars: [
    "precis_lost_dollars_total",
    "US dollars that requests cost more than without precis: after a compaction the provider's cache is written anew.",
  ],
  repeated: [
    "precis_repeated_calls_total",
    "Calls of agents that asked again, within ten rounds, for what a compaction had hidden.",
  ],
  cacheHits: [
    "precis_checkpoint_hits_total",
    "Requests whose view stood on a checkpoint that was there already.",
  ],
  cachedTokens: [
    "precis_provider_cached_tokens_total",
    "Input tokens that the provider read from its own prompt cache.",
  ],
  rejected: [
    "precis_rejected_total",
    "Requests that the upstream refused as too long, by what became of them.",
    "result",
  ],
  loops: ["precis_loops_total", "Conversations that repeated the same tool round after a compaction."],
  hostedCalls: ["precis_tool_calls_total", "Calls of precis's own tools by models, by tool.", "tool"],
  hiddenRounds: [
    "precis_hidden_rounds_total",
    "Rounds that precis answered itself within requests of clients.",
  ],
  hiddenTokens: [
    "precis_hidden_tokens_total",
    "Tokens that such rounds took beside the last one of their request, as the provider counts them.",
    "kind",
  ],
  guessedWindows: ["precis_guessed_windows_total", "Models whose window precis had to guess."],
  lostAnswers: [
    "precis_lost_answers_total",
    "Answers that clients got and the store never took, because it failed for too long or refuses them for good.",
  ],
  storeFailures: ["precis_store_failures_total", "Writes that the store refused."],
} as const satisfies Record<string, readonly [name: string, help: string, ...labels: string[]]>;

type LabelsOf<Row> = Row extends readonly [string, string, ...infer Labels extends string[]]
  ? Labels[number]
  : never;
type Counters = { readonly [Key in keyof typeof COUNTERS]: Counter<LabelsOf<(typeof COUNTERS)[Key]>> };

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counters = Object.entries(COUNTERS).map(([key, [name, help, ...labelNames]]) => [
    key,
    new Counter({ name, help, labelNames, registers }),
  ]);
  return {
    registry,
    ...(Object.fromEntries(counters) as Counters),
    requests: quickCounter({
      registry,
      name: "precis_requests_total",
      help: "Requests to /v1 and of the page's chats by API, status class and what precis did.",
      labels: ["api", "status", "action"],
    }),
    ownSeconds: quickHistogram({
      registry,
      name: "precis_own_seconds",
      help: "Time from a request's last byte to its leaving for the upstream.",
      buckets: OWN_SECONDS,
    }),
    seconds: quickHistogram({
      registry,
      name: "precis_request_seconds",
      help: "Whole time of a request, the upstream's included.",
      buckets: WHOLE_SECONDS,
    }),
    pressure: new Histogram({
      name: "precis_pressure",
      help: "Tokens of the view divided by the budget, before precis did anything.",
      buckets: PRESSURES,
      registers,
    }),
    spilled: new Gauge({
      name: "precis_unstored_answers",
      help: "Answers that wait for a store that doesn't take them.",
      registers,
    }),
    active: quickGauge({ registry, name: "precis_active_requests", help: "Requests under way." }),
  };
}
