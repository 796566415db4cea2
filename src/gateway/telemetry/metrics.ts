import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { quickCounter, quickGauge, quickHistogram } from "./quick-metrics.ts";
import type { TotalsKeeper } from "./totals.ts";

/** Seconds. Precis's own part of a request is well below a millisecond unless it compacts. */
const OWN_SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3];
const WHOLE_SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 3, 10, 30, 100, 300];
const PRESSURES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
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
    compactions: new Counter({
      name: "precis_compactions_total",
      help: "Compactions by rung and reason.",
      labelNames: ["rung", "reason"],
      registers,
    }),
    rungs: new Counter({
      name: "precis_rungs_total",
      help: "Rungs that compactions tried, by what came of them.",
      labelNames: ["rung", "outcome"],
      registers,
    }),
    summaryFailures: new Counter({
      name: "precis_summary_failures_total",
      help: "Summaries that no model wrote as they must be, by the rung that took their place.",
      labelNames: ["fallback"],
      registers,
    }),
    saved: new Counter({
      name: "precis_tokens_saved_total",
      help: "Tokens of transcripts that weren't sent.",
      registers,
    }),
    sent: new Counter({ name: "precis_tokens_sent_total", help: "Tokens of views.", registers }),
    cost: new Counter({
      name: "precis_summary_dollars_total",
      help: "US dollars spent on summaries, where prices are known.",
      registers,
    }),
    cacheHits: new Counter({
      name: "precis_checkpoint_hits_total",
      help: "Requests whose view stood on a checkpoint that was there already.",
      registers,
    }),
    cachedTokens: new Counter({
      name: "precis_provider_cached_tokens_total",
      help: "Input tokens that the provider read from its own prompt cache.",
      registers,
    }),
    rejected: new Counter({
      name: "precis_rejected_total",
      help: "Requests that the upstream refused as too long, by what became of them.",
      labelNames: ["result"],
      registers,
    }),
    loops: new Counter({
      name: "precis_loops_total",
      help: "Conversations that repeated the same tool round after a compaction.",
      registers,
    }),
    hostedCalls: new Counter({
      name: "precis_tool_calls_total",
      help: "Calls of precis's own tools by models, by tool.",
      labelNames: ["tool"],
      registers,
    }),
    hiddenRounds: new Counter({
      name: "precis_hidden_rounds_total",
      help: "Rounds that precis answered itself within requests of clients.",
      registers,
    }),
    hiddenTokens: new Counter({
      name: "precis_hidden_tokens_total",
      help: "Tokens that such rounds took beside the last one of their request, as the provider counts them.",
      labelNames: ["kind"],
      registers,
    }),
    guessedWindows: new Counter({
      name: "precis_guessed_windows_total",
      help: "Models that precis doesn't know and nobody told the window of.",
      registers,
    }),
    spilled: new Gauge({
      name: "precis_unstored_answers",
      help: "Answers that wait for a store that doesn't take them.",
      registers,
    }),
    lostAnswers: new Counter({
      name: "precis_lost_answers_total",
      help: "Answers that clients got and the store never took, because it failed for too long.",
      registers,
    }),
    storeFailures: new Counter({
      name: "precis_store_failures_total",
      help: "Writes that the store refused.",
      registers,
    }),
    active: quickGauge({ registry, name: "precis_active_requests", help: "Requests under way." }),
  };
}

/** A request that was answered, one way or the other. */
export interface ServedRequest {
  readonly api: string;
  readonly status: number;
  /** What precis did. */
  readonly action: string;
  readonly ms: number;
}

export function countRequest(
  { metrics, totals }: { readonly metrics: Metrics; readonly totals: TotalsKeeper },
  { api, status, action, ms }: ServedRequest,
): void {
  metrics.seconds.observe(ms / 1_000);
  metrics.requests.add(api, `${Math.floor(status / 100)}xx`, action);
  totals.add("requests");
  if (status >= 400) totals.add("errors");
}
