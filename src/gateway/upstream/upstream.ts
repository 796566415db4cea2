import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { UpstreamConfig } from "../../config/gateway-schema.ts";
import { glob } from "./glob.ts";

/** Connections that are kept open to one upstream. */
const MAX_FREE_SOCKETS = 256;
/** Shorter than what most servers allow, so that we rarely meet a connection that was just closed (milliseconds). */
const KEEP_ALIVE_MS = 4_000;

export type DialectName = NonNullable<UpstreamConfig["dialects"]>[number];

/** Where requests go. */
export interface Upstream {
  readonly name: string;
  readonly config: UpstreamConfig;
  readonly dialects: readonly DialectName[];
  readonly url: URL;
  readonly secure: boolean;
  /** Name or address as a connection needs it, without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly agent: HttpAgent | HttpsAgent;
  /** It has the provider's own compaction API. */
  readonly isNative: boolean;
  takes(model: string, dialect: DialectName | undefined): boolean;
  /** The window that the config gives for a model. */
  windowOf(model: string): number | undefined;
}

const HTTP_PORT = 80;
const HTTPS_PORT = 443;

const ALL: readonly DialectName[] = ["openai-chat", "openai-responses", "anthropic-messages"];

export function createUpstream(config: UpstreamConfig): Upstream {
  const url = new URL(config.baseURL);
  const secure = url.protocol === "https:";
  const isAnthropic = url.hostname === "api.anthropic.com";
  const isOpenai = url.hostname === "api.openai.com" || url.hostname.endsWith(".openai.azure.com");
  const dialects: readonly DialectName[] =
    config.dialects ??
    (isAnthropic ? ["anthropic-messages"] : isOpenai ? ["openai-chat", "openai-responses"] : ALL);
  const models = config.models?.map(glob);
  const windows = Object.entries(config.windows ?? {}).map(([name, window]) => ({
    test: glob(name),
    window,
  }));
  const Agent = secure ? HttpsAgent : HttpAgent;
  return {
    name: config.name,
    config,
    dialects,
    url,
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? HTTPS_PORT : HTTP_PORT) : Number(url.port),
    agent: new Agent({
      keepAlive: true,
      keepAliveMsecs: KEEP_ALIVE_MS,
      maxFreeSockets: MAX_FREE_SOCKETS,
      scheduling: "lifo",
    }),
    isNative: config.nativeCompaction ?? (isAnthropic || isOpenai),
    takes: (model, dialect) =>
      (dialect === undefined || dialects.includes(dialect)) &&
      (models === undefined || models.some((test) => test(model))),
    windowOf: (model) => windows.find(({ test }) => test(model))?.window,
  };
}
