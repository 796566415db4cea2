import { KEY_HEADERS, type Provider } from "../../apis/shared/providers.ts";
import type { GatewayConfig, SummarizerConfig } from "../../config/gateway-schema.ts";
import { isLoopback } from "../../config/loopback.ts";
import type { Model } from "../../core/types.ts";
import { mailbox, mailboxDir } from "../../models/mailbox.ts";
import { createHttpModel } from "../../models/shared/http-model.ts";
import { headerOf } from "../http/send-json.ts";
import { fetchAt } from "../upstream/send.ts";
import { keyFor, targetPath, type Upstream, upstreamOf } from "../upstream/upstream.ts";
import { type Wire, wireOfDialect } from "../wires/index.ts";
import { currentBehalf } from "./on-behalf.ts";

/** Headers of a request that the summary of its conversation is asked for with. */
const CARRIED = [
  ...KEY_HEADERS,
  "anthropic-version",
  "anthropic-beta",
  "openai-organization",
  "openai-project",
];
/** Stands for "no key of ours" where a model insists on one. */
const NO_KEY = "none";

/** The client's headers, as far as they were sent for this upstream; without its key where the server has one. */
function carriedFor(upstream: Upstream): Record<string, string> {
  const { sent } = currentBehalf() ?? {};
  const carried: Record<string, string> = {};
  if (sent?.upstream !== upstream) return carried;
  for (const name of CARRIED) {
    const value = headerOf(sent.headers, name);
    const isKey = KEY_HEADERS.includes(name);
    if (value !== undefined && !(isKey && (sent.keyIsOurs || keyFor(upstream, sent.headers) !== undefined)))
      carried[name] = value;
  }
  return carried;
}

/** A model by name is asked where it is served. A mailbox is a folder of this machine, which only the server's config may name. */
export function summarizerByName(
  upstreams: readonly Upstream[],
  name: string | undefined,
): SummarizerConfig | undefined {
  if (name === undefined || name === "extractive" || name === "same") return name;
  if (mailboxDir(name) !== undefined) return undefined;
  const upstream = upstreamOf(upstreams, name);
  return { model: name, ...(upstream && { upstream: upstream.name }) };
}

/** The model that writes the summaries of a conversation, or undefined for none. */
export function summarizerFor(options: {
  readonly config: SummarizerConfig;
  readonly upstreams: readonly Upstream[];
  readonly upstream: Upstream;
  readonly wire: Wire;
  readonly model: string;
  readonly window: number;
}): Model | undefined {
  const { config, upstreams, wire } = options;
  if (config === "extractive") return undefined;
  const isSame = config === "same";
  const model = isSame ? options.model : config.model;
  // A conversation that was imported and has no model yet.
  if (model === "") return undefined;
  const dir = isSame ? undefined : mailboxDir(config.model);
  if (dir !== undefined) return mailbox({ dir, ...(!isSame && config.window && { window: config.window }) });
  const wanted = isSame ? undefined : config.upstream;
  const upstream =
    wanted === undefined
      ? options.upstream
      : (upstreams.find((one) => one.name === wanted) ?? options.upstream);
  const spoken = spokenAt(upstream, upstream === options.upstream, wire);
  const window = isSame ? options.window : config.window;
  const { provider, asking } = spoken;
  // Another model is asked in the API that every server of the kind has.
  const isUsual = !asking || (!isSame && provider === usual.provider);
  const made = createHttpModel(
    "summarizer",
    {
      model,
      baseURL: baseURLAt(upstream, isUsual ? usual.provider : provider),
      fetch: fetchAt(upstream),
      ...(window !== undefined && { window }),
    },
    isUsual ? usual.asking! : asking,
    () => accessTo(upstream),
  );
  const key =
    upstream.config.apiKey !== undefined ? "server" : upstream === options.upstream ? "client" : undefined;
  return {
    ...made,
    ...(key && { key }),
    complete: (request) => {
      const stop = currentBehalf()?.signal;
      const signal =
        request.signal && stop ? AbortSignal.any([request.signal, stop]) : (stop ?? request.signal);
      return made.complete({ ...request, ...(signal && { signal }) });
    },
  };
}

const usual = wireOfDialect(undefined);

/** The base URL of a provider's APIs at an upstream, by the beginning of their paths. */
const baseURLAt = (upstream: Upstream, { version }: Provider): string =>
  upstream.url.origin + targetPath(upstream, `${version}/x`).replace(/\/x(?=\?|$)/, "");

/** The key and the headers that an upstream is asked with now: the server's, or those of whoever the summary is written for. */
function accessTo(upstream: Upstream) {
  const headers = carriedFor(upstream);
  const own = keyFor(upstream, currentBehalf()?.sent?.headers ?? {});
  const hasKey = own === undefined && KEY_HEADERS.some((name) => name in headers);
  return {
    headers: { ...headers, ...upstream.config.headers },
    ...(!hasKey && { apiKey: own ?? NO_KEY }),
  };
}

/**
 * The API that a server is asked in: the conversation's own where it is answered there. Of another server whose APIs nobody named only
 * one is likely.
 */
function spokenAt(upstream: Upstream, isOwn: boolean, wire: Wire): Wire {
  const isGuess = !isOwn && upstream.config.dialects === undefined && !upstream.isKnownProvider;
  if (isGuess) return usual;
  return upstream.dialects.includes(wire.dialect.id) ? wire : wireOfDialect(upstream.dialects[0]);
}

/** Who writes summaries and who pays for them, in a line for whoever starts the server; and what can't work. */
export function summarizerNotes(config: Pick<GatewayConfig, "summarizer" | "upstreams" | "observe">): {
  readonly line: string;
  readonly problems: readonly string[];
} {
  const { summarizer, upstreams } = config;
  if (config.observe)
    return {
      line: "Observing: requests go through unchanged, and no model is asked for summaries",
      problems: [],
    };
  const problems: string[] = [];
  for (const one of [summarizer, ...upstreams.map((upstream) => upstream.summarizer)]) {
    if (typeof one !== "object" || one.upstream === undefined || upstreams.length === 1) continue;
    const upstream = upstreams.find(({ name }) => name === one.upstream);
    if (!upstream || upstream.apiKey !== undefined || upstream.headers !== undefined) continue;
    if (isLoopback(new URL(upstream.baseURL).hostname)) continue;
    problems.push(
      `${one.model} should write summaries, but its upstream ${upstream.name} has no apiKey, and clients' keys for other upstreams are never sent there. Code will write them instead. Give the upstream an apiKey.`,
    );
  }
  const line =
    summarizer === "extractive"
      ? "Summaries: by code, no model is called"
      : summarizer === "same"
        ? "Summaries: by each conversation's own model, with its requests' key (--no-summary-model: by code, at no cost)"
        : `Summaries: by ${summarizer.model}${summarizer.upstream === undefined ? "" : ` at ${summarizer.upstream}`} (--no-summary-model: by code, at no cost)`;
  return { line, problems: [...new Set(problems)] };
}
