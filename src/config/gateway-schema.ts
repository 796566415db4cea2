import { z } from "zod";

/** Largest request body (bytes). */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** How long an upstream may stay silent before its first byte, and between two bytes (milliseconds). */
const UPSTREAM_TIMEOUT_MS = 600_000;
/** How long a drain waits for requests under way (milliseconds). */
const DRAIN_MS = 30_000;

export const PROFILE_NAMES = ["agent", "desktop", "editor", "rag", "stream"] as const;
export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
/** Shorter ones can be guessed (characters). */
export const SHORTEST_CLIENT_KEY = 16;

const tokens = z.number().int().min(100, "give tokens, such as 8192");
const threshold = z.number().positive();
const profileName = z.enum(PROFILE_NAMES);
const strategyName = z.enum([
  "none",
  "truncate-oldest",
  "drop-middle",
  "drop-all",
  "summarize-oldest",
  "summarize-and-drop",
  "tool-summaries",
]);
const dialectId = z.enum(["openai-chat", "openai-responses", "anthropic-messages"]);
export const httpAddress = z
  .url({ protocol: /^https?$/, error: "give the whole address, such as https://api.openai.com/v1" })
  .refine((text) => !/\/\/[^/]*@/.test(text), "keys don't belong into an address: use apiKey");

/** An address of anything but a PostgreSQL would be taken for the name of a file. */
const DATABASE = /^(?!(?!postgres(?:ql)?:|file:)[a-z][a-z\d+.-]*:\/\/)/i;

/** Options of the engine that a config may set, for all requests or for one upstream. */
const tuning = {
  profile: profileName.optional(),
  strategy: strategyName.optional(),
  /** Cap on what a view may use, in tokens. */
  budget: tokens.optional(),
  startAt: threshold.optional(),
  landAt: threshold.optional(),
  reserve: threshold.optional(),
  safety: threshold.optional(),
  placement: z.enum(["user", "system", "merged"]).optional(),
  waitMs: z.number().int().min(0).optional(),
};

/** Who writes summaries: nobody (`extractive`), the conversation's own model (`same`), or a model by name. */
const summarizer = z.union([
  z.literal("extractive"),
  z.literal("same"),
  z.strictObject({
    model: z.string().min(1),
    /** Name of the upstream; default: the conversation's own. */
    upstream: z.string().min(1).optional(),
    window: tokens.optional(),
  }),
]);

const upstream = z.strictObject({
  name: z.string().regex(/^[\w.-]+$/, "use letters, digits, dots and dashes"),
  baseURL: httpAddress,
  /** What it speaks. Default: Anthropic's hosts their Messages, everything else all three. */
  dialects: z.array(dialectId).min(1).optional(),
  /** Models that go there: names, with `*` for any characters. Default: all. */
  models: z.array(z.string().min(1)).min(1).optional(),
  /** The server's own key. Left out: the client's key is passed on. */
  apiKey: z.string().min(1).optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string()).optional(),
  /** Windows by model name (`*` for any characters), instead of the registry's. */
  windows: z.record(z.string(), tokens).optional(),
  /** The provider's own compaction API is there: such requests are forwarded untouched. Default: by its host. */
  nativeCompaction: z.boolean().optional(),
  summarizer: summarizer.optional(),
  timeoutMs: z.number().int().positive().default(UPSTREAM_TIMEOUT_MS),
  ...tuning,
});

const clientKey = z.strictObject({
  name: z.string().min(1),
  key: z.string().min(SHORTEST_CLIENT_KEY, `use at least ${SHORTEST_CLIENT_KEY} characters`),
  tenant: z.string().min(1).default("default"),
  limits: z.record(z.string(), z.number()).optional(),
});

/** `precis.config.json`. */
export const gatewaySchema = z.strictObject({
  $schema: z.string().optional(),
  host: z.string().min(1).default("127.0.0.1"),
  port: z.number().int().min(0).max(65_535).default(8787),
  /** A file, `postgres://…`, or `memory`. */
  db: z.string().min(1).regex(DATABASE, "give a file, postgres://…, or memory").default("precis.db"),
  /** False: transcripts aren't kept; summaries live in memory. */
  store: z.boolean().default(true),
  /** True: nothing is changed, only reported. */
  observe: z.boolean().default(false),
  workers: z.number().int().min(1).max(256).default(1),
  /** The window of every model that no upstream names one for. */
  window: tokens.optional(),
  ...tuning,
  summarizer: summarizer.default("same"),
  /** Summarise idle chats ahead of time, where the server has a key of its own. */
  idleSummaries: z.boolean().default(false),
  upstreams: z.array(upstream).default([]),
  /** `upstream`: what the provider counted. `transcript`: as if nothing had been compacted. */
  usage: z.enum(["upstream", "transcript"]).default("upstream"),
  auth: z
    .strictObject({
      /** `open`: anyone who can connect (loopback only). `keys`: a client key is needed. */
      mode: z.enum(["open", "keys"]).optional(),
      keys: z.array(clientKey).default([]),
    })
    .prefault({}),
  /** Other origins whose pages may call this server. */
  cors: z.array(z.string()).default([]),
  /** Other names under which this server is reached. */
  hosts: z.array(z.string()).default([]),
  /** Keys and passwords in stored text are replaced. */
  redact: z.boolean().default(false),
  retention: z
    .strictObject({
      conversationDays: z.number().positive().optional(),
      eventDays: z.number().positive().default(90),
      recordDays: z.number().positive().default(30),
    })
    .prefault({}),
  limits: z
    .strictObject({
      bodyBytes: z.number().int().positive().default(MAX_BODY_BYTES),
      /** A client that sends its request more slowly is cut off. */
      requestMs: z.number().int().positive().default(120_000),
      headersMs: z.number().int().positive().default(30_000),
      drainMs: z.number().int().min(0).default(DRAIN_MS),
      connections: z.number().int().positive().default(10_000),
    })
    .prefault({}),
  log: z.enum(LOG_LEVELS).default("info"),
});

/** What a config file may hold. */
export type GatewayConfigInput = z.input<typeof gatewaySchema>;
/** A config after defaults. */
export type GatewayConfig = z.output<typeof gatewaySchema>;
export type UpstreamConfig = GatewayConfig["upstreams"][number];
export type SummarizerConfig = GatewayConfig["summarizer"];
export type ClientKeyConfig = GatewayConfig["auth"]["keys"][number];
