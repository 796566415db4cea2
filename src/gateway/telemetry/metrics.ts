import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Seconds. Precis's own part of a request is well below a millisecond unless it compacts. */
const OWN_SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3];
const WHOLE_SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 3, 10, 30, 100, 300];
const PRESSURES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** Counters: name, help, labels. */
const COUNTERS = {
  requests: [
    "precis_requests_total",
    "Requests to /v1 and of the page's chats by API, status class and what precis did.",
    "api",
    "status",
    "action",
  ],
  compactions: ["precis_compactions_total", "Compactions by rung and reason.", "rung", "reason"],
  rungs: ["precis_rungs_total", "Rungs that compactions tried, by what came of them.", "rung", "outcome"],
  summaryFailures: [
    "precis_summary_failures_total",
    "Summaries that no model wrote as they must be, by the rung that took their place.",
    "fallback",
  ],
  summaryNames: [
    "precis_summary_names_total",
    "Names, paths and ids that conversations went on to use after a summary was asked for: said by it, added by code, or missed.",
    "model",
    "prompt",
    "result",
  ],
  saved: [
    "precis_tokens_saved_total",
    "Tokens of transcripts and of declarations of tools that weren't sent.",
  ],
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
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, registers });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  return {
    registry,
    ...(Object.fromEntries(counters) as Counters),
    ownSeconds: histogram(
      "precis_own_seconds",
      "Time from a request's last byte to its leaving for the upstream.",
      OWN_SECONDS,
    ),
    seconds: histogram(
      "precis_request_seconds",
      "Whole time of a request, the upstream's included.",
      WHOLE_SECONDS,
    ),
    pressure: histogram(
      "precis_pressure",
      "Tokens of the view divided by the budget, before precis did anything.",
      PRESSURES,
    ),
    spilled: gauge("precis_unstored_answers", "Answers that wait for a store that doesn't take them."),
    active: gauge("precis_active_requests", "Requests under way."),
  };
}
