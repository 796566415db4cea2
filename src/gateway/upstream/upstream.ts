import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import {
  GOOGLE,
  isBare,
  KEY_HEADERS,
  keyHeaders,
  OPENAI,
  type Provider,
} from "../../apis/shared/providers.ts";
import { isProviderHost } from "../../config/environment.ts";
import type { UpstreamConfig } from "../../config/gateway-schema.ts";
import { contentHash } from "../../core/hash.ts";
import type { DialectId } from "../../core/types.ts";
import { RequestFault } from "../http/request-fault.ts";
import { INERT } from "../http/send-json.ts";
import { wireAtPath, wireOfDialect, wireOfRequest, wires } from "../wires/index.ts";
import { askJson, createPool } from "./send.ts";

/** Where requests go. */
export type Upstream = ReturnType<typeof createUpstream>;

const all = [...wires.values()];
/** Of the hash of an address in the name of an upstream (characters). */
const ID_CHARACTERS = 8;

export function createUpstream(config: UpstreamConfig) {
  const url = new URL(config.baseURL);
  const own = all.filter((wire) => wire.isAt(url.hostname));
  const dialects: readonly DialectId[] =
    config.dialects ?? (own.length > 0 ? own : all).map((wire) => wire.dialect.id);
  const models = config.models?.map(glob);
  const windows = Object.entries(config.windows ?? {}).map(([name, window]) => ({
    test: glob(name),
    window,
  }));
  return {
    name: config.name,
    config,
    dialects,
    url,
    /** Names it where what was learned of it is kept: another server by the same name is another one. */
    id: `${config.name} ${contentHash(url.host + url.pathname).slice(0, ID_CHARACTERS)}`,
    /** Its connections. */
    pool: createPool(url, config.timeoutMs),
    /** A provider that many pay for. Its models are in the registry, so it isn't asked for what a small server tells. */
    isKnownProvider: own.length > 0 || isProviderHost(url.hostname),
    /** It has the provider's own compaction API. */
    isNative: config.nativeCompaction ?? own.some(({ native }) => native),
    /** The models that it listed last. */
    listed: undefined as ReadonlySet<string> | undefined,
    /** It was added without a list of its models: it gets what no other lists. */
    isUnlisted: false,
    /** Whose way of asking a request follows there. */
    providerOf(path: string): Provider {
      const spoken = dialects.map((dialect) => wireOfDialect(dialect).provider);
      return wireAtPath(path)?.provider ?? (spoken.includes(OPENAI) ? OPENAI : spoken[0]!);
    },
    takes: (model: string, dialect: DialectId | undefined): boolean =>
      (dialect === undefined || dialects.includes(dialect)) &&
      (models === undefined || models.some((test) => test(model))),
    windowOf: (model: string) => windows.find(({ test }) => test(model))?.window,
  };
}

/** A test for a name with `*` for any characters. */
function glob(pattern: string): (text: string) => boolean {
  if (!pattern.includes("*")) return (text) => text === pattern;
  const source = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const regex = new RegExp(`^${source.join(".*")}$`, "is");
  return (text) => regex.test(text);
}

/** The upstream of a model: the first that takes it, and one whose models couldn't be listed only where no other lists it. */
export function upstreamOf(
  upstreams: readonly Upstream[],
  model: string,
  dialect?: DialectId,
): Upstream | undefined {
  const taking = upstreams.filter((one) => one.takes(model, dialect));
  const unlisted = taking.filter(({ isUnlisted }) => isUnlisted);
  const others = taking.filter(({ isUnlisted }) => !isUnlisted);
  const [first] = others;
  if (!first) return unlisted.find(({ listed }) => listed?.has(model)) ?? unlisted[0];
  if (unlisted.length === 0 || others.some(({ config, listed }) => config.models || listed?.has(model)))
    return first;
  // A provider serves more names than it lists, and of one that wasn't asked yet nothing is known.
  const mayServe = others.some(({ isKnownProvider, listed }) => isKnownProvider || !listed);
  return unlisted.find(({ listed }) => listed?.has(model)) ?? (mayServe ? first : unlisted[0]);
}

/** The upstream that takes the model in this format. Only configured ones can ever be chosen. */
export function chooseUpstream(
  upstreams: readonly Upstream[],
  model: string,
  dialect: DialectId | undefined,
): Upstream {
  needUpstream(upstreams);
  const chosen = upstreamOf(upstreams, model, dialect);
  if (chosen) return chosen;
  const names = upstreams.map(
    (one) => `${one.name} (${one.config.models?.join(", ") ?? "all models"}; ${one.dialects.join(", ")})`,
  );
  throw new RequestFault(
    404,
    "no-upstream-for-model",
    `precis: no upstream takes the model ${JSON.stringify(model)}${dialect === undefined ? "" : ` as ${dialect}`}. Upstreams: ${names.join("; ")}.`,
  );
}

/**
 * Where a request goes that precis has no part in. Most of these name no model (files, batches), or one that a config
 * doesn't list (embeddings): then it is the first upstream that speaks the client's format.
 */
export function chooseForRest(upstreams: readonly Upstream[], model: string, dialect: DialectId): Upstream {
  needUpstream(upstreams);
  const speaking = upstreams.filter((one) => one.dialects.includes(dialect));
  const taking = model === "" ? undefined : upstreamOf(speaking, model, dialect);
  const isClear = model === "" || speaking.length === 1;
  return taking ?? (isClear ? speaking[0] : undefined) ?? chooseUpstream(upstreams, model, dialect);
}

function needUpstream(upstreams: readonly Upstream[]): void {
  if (upstreams.length === 0)
    throw new RequestFault(
      503,
      "no-upstream",
      "precis: no upstream is configured, so there is no model to ask. Start it with `precis serve --upstream URL`, list upstreams in precis.config.json, or set OPENAI_API_KEY or ANTHROPIC_API_KEY.",
    );
}

/** Tells the format of a request that precis has no part in. */
export function dialectOf(path: string, headers: IncomingHttpHeaders): DialectId {
  return wireOfRequest(path, headers).dialect.id;
}

/**
 * The upstream that a client's key was sent for when the request names no model: the one that any other request without
 * a model goes to. The others are strangers to the key and must not see it.
 */
export function keyOwner(
  upstreams: readonly Upstream[],
  path: string,
  headers: IncomingHttpHeaders,
): Upstream | undefined {
  const dialect = dialectOf(path, headers);
  return upstreams.some((one) => one.dialects.includes(dialect))
    ? chooseForRest(upstreams, "", dialect)
    : undefined;
}

/**
 * The path at the upstream for a path of ours (`/v1/…`). A base with or without `/v1` means the same; another base
 * (`/v1beta/openai`) is OpenAI's convention: it stands for `/v1`. Anthropic's convention is a base without `/v1`, Google's one
 * without `/v1beta`; there, OpenAI's API stands below it.
 */
export function targetPath(upstream: Upstream, path: string): string {
  const { search } = upstream.url;
  const target = pathAt(upstream, path);
  // What an address asks with every request (Azure's `api-version`), beside what the client asks.
  return search === "" ? target : `${target}${target.includes("?") ? "&" : "?"}${search.slice(1)}`;
}

/** What an address of Google's may end with: the version, and the place of its imitation of OpenAI's API. */
const GOOGLE_BASE = /\/v1(?:beta\d*|alpha)?(?:\/openai)?$/;

function pathAt(upstream: Upstream, path: string): string {
  const base = upstream.url.pathname.replace(/\/+$/, "");
  const provider = upstream.providerOf(path);
  if (provider === GOOGLE) return base.replace(GOOGLE_BASE, "") + path;
  if (GOOGLE.isAt(upstream.url.hostname) && GOOGLE_BASE.test(base || "/v1"))
    return `${base.replace(GOOGLE_BASE, "")}${GOOGLE.version}/openai${path.slice("/v1".length)}`;
  if (base.endsWith("/v1")) return base.slice(0, -"/v1".length) + path;
  if (base === "" || isBare(provider)) return base + path;
  return base + path.slice("/v1".length);
}

/** Stands for a query that isn't shown. */
const HIDDEN = "?…";

/** An upstream's address as it may be shown: some hold a key in their query, and status and pages are for everybody. */
export function shownAddress(baseURL: string): string {
  const query = baseURL.indexOf("?");
  return query < 0 ? baseURL : baseURL.slice(0, query) + HIDDEN;
}

/** A path or address at the upstream without what its own address adds to every request. */
export function withoutOwnQuery({ url: { search } }: Pick<Upstream, "url">, text: string): string {
  return search.length > 1 ? text.replaceAll(search.slice(1), "…") : text;
}

/** Headers that concern one connection only, or that we set ourselves. */
const NOT_FORWARDED = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "content-length",
  "expect",
  "cookie",
  "origin",
  "referer",
  "forwarded",
  "x-real-ip",
]);

/**
 * Headers of an answer that concern one connection only, or that speak for this server's whole origin, which a provider
 * has no business doing: its cookies, its rules for browsers, where else the origin is found.
 */
const NOT_RETURNED = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "trailer",
  "upgrade",
  "set-cookie",
  "clear-site-data",
  "strict-transport-security",
  "alt-svc",
  "refresh",
  "link",
  "service-worker-allowed",
  "content-security-policy",
  "content-security-policy-report-only",
  "x-content-type-options",
  "x-frame-options",
  "permissions-policy",
  "report-to",
  "reporting-endpoints",
  "nel",
]);

/** The client's headers for the upstream, without those of ours. */
export function forwardedHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const forwarded: OutgoingHttpHeaders = {};
  const ofConnection = namedByConnection(headers);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || NOT_FORWARDED.has(name) || ofConnection?.has(name)) continue;
    if (name.startsWith("x-precis-") || name.startsWith("x-forwarded-") || name.startsWith("sec-")) continue;
    forwarded[name] = value;
  }
  return forwarded;
}

/** The upstream's headers for the client. */
export function returnedHeaders(
  headers: IncomingHttpHeaders,
  upstream: Pick<Upstream, "url">,
): OutgoingHttpHeaders {
  const returned: OutgoingHttpHeaders = { ...INERT };
  const ofConnection = namedByConnection(headers);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || NOT_RETURNED.has(name) || ofConnection?.has(name)) continue;
    if (!name.startsWith("access-control-")) returned[name] = value;
  }
  // A redirect repeats the query of the request, and a key may stand there.
  for (const name of ADDRESSES) {
    const address = returned[name];
    if (typeof address === "string") returned[name] = withoutOwnQuery(upstream, address);
  }
  return returned;
}

/** Headers whose value is an address. */
const ADDRESSES = ["location", "content-location"];

/** What almost every `connection` says; it names no header. */
const COMMON_CONNECTION = new Set(["keep-alive", "close", "upgrade"]);

/** Headers that `connection` lists: they were meant for whoever is at the other end of it, and for nobody behind (RFC 9110, 7.6.1). */
function namedByConnection({ connection }: IncomingHttpHeaders): ReadonlySet<string> | undefined {
  if (connection === undefined || COMMON_CONNECTION.has(connection)) return undefined;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

/** Keys for upstreams that have none of their own, each for one of them by its name: `openai=KEY&groq=KEY`, encoded like a query. */
const NAMED_KEYS = "x-precis-upstream-keys";

/** Does an upstream refuse a request for its key? */
export const isOfKey = (status: number): boolean => status === 401 || status === 403;

/** The key that an upstream is asked with, whatever else a client sends: the server's, or the one that the client names it for. */
export const keyFor = (
  { name, config }: Pick<Upstream, "name" | "config">,
  headers: IncomingHttpHeaders,
): string | undefined =>
  config.apiKey ?? (new URLSearchParams(String(headers[NAMED_KEYS] ?? "")).get(name) || undefined);

/** What is sent upstream: the client's headers, with the server's key in place of the client's where it has one. */
export function upstreamHeaders(
  upstream: Upstream,
  headers: IncomingHttpHeaders,
  path: string,
  bytes: number,
  /** The key that the client showed was for us. */
  keyIsOurs: boolean,
): OutgoingHttpHeaders {
  const sent = forwardedHeaders(headers);
  const apiKey = keyFor(upstream, headers);
  if (apiKey !== undefined || keyIsOurs) for (const name of KEY_HEADERS) delete sent[name];
  if (apiKey !== undefined) Object.assign(sent, keyHeaders(upstream.providerOf(path), apiKey));
  for (const [name, value] of Object.entries(upstream.config.headers ?? {})) sent[name.toLowerCase()] = value;
  sent["host"] = upstream.url.host;
  sent["content-length"] = bytes;
  return sent;
}

/** Asks an upstream something beside what clients ask, with what was sent along for it. Resolves with the status, and the answer as JSON. */
export function askUpstream({
  upstream,
  path,
  target = targetPath(upstream, path),
  headers,
  keyIsOurs,
  question,
  signal,
}: {
  readonly upstream: Upstream;
  /** One of our paths, by which its API is known. */
  readonly path: string;
  /** Where it is asked, if that is elsewhere. */
  readonly target?: string;
  readonly headers: IncomingHttpHeaders;
  readonly keyIsOurs: boolean;
  /** What is posted; left out: GET. */
  readonly question?: object | undefined;
  readonly signal: AbortSignal;
}): ReturnType<typeof askJson> {
  const body = question && Buffer.from(JSON.stringify(question));
  const sent = upstreamHeaders(upstream, headers, path, body?.length ?? 0, keyIsOurs);
  for (const name of ["content-type", "accept-encoding"]) delete sent[name];
  if (!body) delete sent["content-length"];
  return askJson({ upstream, method: body ? "POST" : "GET", path: target, headers: sent, body, signal });
}

/** Of a client's headers those that carry a key. */
export const keysIn = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries([...KEY_HEADERS, NAMED_KEYS].map((name) => [name, headers[name]]));

/** What one of several upstreams is asked with, of a request that names none: the client's headers if they were meant for it. */
export const headersFor = (
  upstream: Upstream,
  owner: Upstream | undefined,
  headers: IncomingHttpHeaders,
): IncomingHttpHeaders => (upstream === owner ? headers : { [NAMED_KEYS]: headers[NAMED_KEYS] });
