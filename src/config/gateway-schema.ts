import { z } from "zod";
import { servedApis } from "../apis/served.ts";
import { PROFILE_NAMES } from "../profiles/index.ts";
import { DATABASE_FIX, databaseKind } from "../stores/database-kind.ts";
import { nameFault } from "../stores/shared/texts.ts";
import { tuningFields } from "./tuning-schema.ts";
import {
  anyOf,
  bytes,
  days,
  duration,
  httpAddress,
  listOf,
  mapOf,
  object,
  oneOf,
  text,
  tokens,
  wholeNumber,
  yesOrNo,
} from "./values.ts";

/** Largest request body (bytes). */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Longest answer that is read, without its compression (bytes). The events of 128,000 tokens take up to 40 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** More messages than conversations have in practice; each costs some microseconds that others wait. */
const MAX_MESSAGES = 20_000;
/** How long an upstream may stay silent before its first byte, and between two bytes (milliseconds). */
const UPSTREAM_TIMEOUT_MS = 600_000;
/** How long a drain waits for requests under way (milliseconds). */
const DRAIN_MS = 30_000;

const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
/** Shorter ones can be guessed (characters). */
export const SHORTEST_CLIENT_KEY = 16;

/** Tools that precis can add to requests and answer itself. */
export const HOSTED_TOOLS = ["recall", "compact", "defer"] as const;
export type HostedToolName = (typeof HOSTED_TOOLS)[number];
const DIALECT_IDS = servedApis.map(({ dialect }) => dialect.id);

const modelName = text("name of a model", "Give it as the provider writes it, such as gpt-5-mini.");

/** Who writes summaries: nobody (`extractive`), the conversation's own model (`same`), or a model by name. */
const summarizer = anyOf(
  [
    z.literal(["extractive", "same"]),
    object({
      model: modelName,
      /** Name of the upstream; default: the conversation's own. */
      upstream: text("name of an upstream", "Give the name of one in upstreams.").optional(),
      window: tokens.optional(),
    }),
  ],
  {
    problem: "isn't a valid summarizer",
    fix: 'Give "same", "extractive", or an object such as { "model": "gpt-5-mini", "upstream": "openai" }.',
  },
);

/** Tools that precis adds to requests and answers itself. */
const tools = listOf(oneOf("tool of precis", HOSTED_TOOLS), '["recall"]');

const upstream = object({
  name: text("name", "Give one of letters, digits, dots and dashes, such as openai.", /^[\w.-]+$/),
  baseURL: httpAddress,
  /** What it speaks. Default: providers' hosts their own, everything else all of them. */
  dialects: listOf(oneOf("dialect", DIALECT_IDS), '["openai-chat"]', 1).optional(),
  /** Models that go there: names, with `*` for any characters. Default: all. */
  models: listOf(modelName, '["gpt-*"]', 1).optional(),
  /** The server's own key. Left out: the client's key is passed on. */
  apiKey: text("key", "Give it as env:NAME, or leave it out to pass the client's own on.").optional(),
  headers: mapOf(
    text("text", 'Give each header a text, such as { "x-team": "blue" }.', /^/),
    '{ "x-team": "blue" }',
    /^[A-Za-z0-9-]+$/,
  ).optional(),
  /** Windows by model name (`*` for any characters), instead of the registry's. */
  windows: mapOf(tokens, '{ "qwen3*": "32k" }').optional(),
  /** The provider's own compaction API is there: such requests are forwarded untouched. Default: by its host. */
  nativeCompaction: yesOrNo.optional(),
  /** `strict`: its template refuses two messages of one role in a row. Default `free`. */
  alternation: oneOf("rule for roles", ["free", "strict"]).optional(),
  /** `provider`: it counts views that come near the budget itself, before they are sent. Default `tokenizer`. */
  count: oneOf("way to count", ["tokenizer", "provider"]).optional(),
  /** Instead of the config's own. */
  tools: tools.optional(),
  summarizer: summarizer.optional(),
  timeoutMs: duration(1).default(UPSTREAM_TIMEOUT_MS),
  reserve: tuningFields.reserve,
  cache: tuningFields.cache,
});

const clientKey = object({
  name: text("name", "Give the key a name, such as laptop."),
  key: text(
    "key",
    `Give at least ${SHORTEST_CLIENT_KEY} characters, best as env:NAME.`,
    new RegExp(`^.{${SHORTEST_CLIENT_KEY}}`),
  ),
  tenant: text("name of a tenant", "Use 1 to 256 characters of valid Unicode, or leave the key out.", {
    test: (given) => nameFault(given) === undefined,
  }).default("default"),
  limits: object({ requestsPerMinute: wholeNumber("number of requests", 0) }).optional(),
});

/** `precis.config.json`. */
export const gatewaySchema = object({
  $schema: text("text", "Leave it out, or give the address of a schema.", /^/).optional(),
  host: text("host", "Give one such as 127.0.0.1.").default("127.0.0.1"),
  port: wholeNumber("port", 0, 65_535).default(8787),
  /** A file, `postgres://…`, or `memory`. */
  db: text("database that precis knows", DATABASE_FIX, {
    test: (given) => databaseKind(given) !== undefined,
  }).default("precis.db"),
  /** False: transcripts aren't kept; summaries live in memory. */
  store: yesOrNo.default(true),
  /** True: nothing is changed, only reported. */
  observe: yesOrNo.default(false),
  workers: wholeNumber("number of workers", 1, 256).default(1),
  /** How long it still serves after SIGTERM while `/readyz` says that it goes, so that balancers can see it. */
  graceMs: duration(0).default(0),
  /** The window of every model that no upstream names one for. */
  window: tokens.optional(),
  profile: oneOf("profile", PROFILE_NAMES).optional(),
  tools: tools.optional(),
  ...tuningFields,
  summarizer: summarizer.default("same"),
  /** Summarise idle chats ahead of time, where the server has a key of its own. */
  idleSummaries: yesOrNo.default(false),
  /** Spans and metrics go to the OpenTelemetry SDK that the process was started with. */
  openTelemetry: yesOrNo.default(false),
  upstreams: listOf(upstream, '[{ "name": "openai", "baseURL": "https://api.openai.com/v1" }]').default([]),
  auth: object({
    /** `open`: anyone who can connect (loopback only). `keys`: a client key is needed. */
    mode: oneOf("mode", ["open", "keys"]).optional(),
    keys: listOf(clientKey, '[{ "name": "laptop", "key": "env:LAPTOP_KEY" }]').default([]),
  }).prefault({}),
  /** Other origins whose pages may call this server. */
  cors: listOf(
    text(
      "origin",
      "Give scheme, host and port without a path, such as https://app.example, or * for all.",
      /^(?:\*|null|[a-z][a-z\d+.-]*:\/\/[^/\s]+)$/i,
    ),
    '["https://app.example"]',
  ).default([]),
  /** Other names under which this server is reached. */
  hosts: listOf(
    text(
      "name of a host",
      "Give it without scheme, port and path, such as precis.example.",
      /^(?:\[[\da-f:.]+\]|[^/:\s]+)$/i,
    ),
    '["precis.example"]',
  ).default([]),
  /** Keys and passwords in stored text are replaced. */
  redact: yesOrNo.default(false),
  /** How long things are kept; `sweepTimes` says it to the store. */
  retention: object({
    conversationDays: days.optional(),
    /** Rows of requests. */
    requestDays: days.default(90),
    recordDays: days.default(30),
  }).prefault({}),
  limits: object({
    bodyBytes: bytes.default(MAX_BODY_BYTES),
    /** A longer answer is passed on, but nothing of it is kept: it is neither read nor stored. */
    answerBytes: bytes.default(MAX_ANSWER_BYTES),
    /** Messages of one request. */
    messages: wholeNumber("number of messages", 1).default(MAX_MESSAGES),
    /** A client that sends its request more slowly is cut off. */
    requestMs: duration(1).default(120_000),
    drainMs: duration(0).default(DRAIN_MS),
  }).prefault({}),
  log: oneOf("level", LOG_LEVELS).default("info"),
});

/** What a config file may hold. */
export type GatewayConfigInput = z.input<typeof gatewaySchema>;
/** A config after defaults. */
export type GatewayConfig = z.output<typeof gatewaySchema>;
/** One upstream with what holds where it says nothing. */
export const parseUpstream = (given: object): UpstreamConfig => upstream.parse(given);

export type UpstreamConfig = GatewayConfig["upstreams"][number];
export type SummarizerConfig = GatewayConfig["summarizer"];
export type ClientKeyConfig = GatewayConfig["auth"]["keys"][number];

const DAY_MS = 24 * 60 * 60_000;

/** What a sweep removes by the config: how old things have to be (milliseconds). Left out: however old, they stay. */
export function sweepTimes({ retention }: Pick<GatewayConfig, "retention">) {
  const { conversationDays, requestDays, recordDays } = retention;
  return {
    ...(conversationDays !== undefined && { conversationsMs: conversationDays * DAY_MS }),
    requestsMs: requestDays * DAY_MS,
    recordsMs: recordDays * DAY_MS,
  };
}
