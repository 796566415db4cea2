import type { Pool } from "undici";
import type { UpstreamConfig } from "../../config/gateway-schema.ts";
import { wireAtPath, wireOfDialect } from "../wires/index.ts";
import type { Wire } from "../wires/wire.ts";
import { glob } from "./glob.ts";
import { createPool } from "./pool.ts";

export type DialectName = NonNullable<UpstreamConfig["dialects"]>[number];

/** Where requests go. */
export interface Upstream {
  readonly name: string;
  readonly config: UpstreamConfig;
  readonly dialects: readonly DialectName[];
  readonly url: URL;
  /** Its connections. */
  readonly pool: Pool;
  /** It has the provider's own compaction API. */
  readonly isNative: boolean;
  /** Whose convention a request follows there: where the base URL ends, and which header carries a key. */
  conventionOf(path: string): Wire["convention"];
  takes(model: string, dialect: DialectName | undefined): boolean;
  /** The window that the config gives for a model. */
  windowOf(model: string): number | undefined;
}

const ALL: readonly DialectName[] = ["openai-chat", "openai-responses", "anthropic-messages"];

export function createUpstream(config: UpstreamConfig): Upstream {
  const url = new URL(config.baseURL);
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
  return {
    name: config.name,
    config,
    dialects,
    url,
    pool: createPool(url, config.timeoutMs),
    isNative: config.nativeCompaction ?? (isAnthropic || isOpenai),
    conventionOf: (path) =>
      wireAtPath(path)?.convention ??
      (dialects.some((dialect) => wireOfDialect(dialect).convention === "openai") ? "openai" : "anthropic"),
    takes: (model, dialect) =>
      (dialect === undefined || dialects.includes(dialect)) &&
      (models === undefined || models.some((test) => test(model))),
    windowOf: (model) => windows.find(({ test }) => test(model))?.window,
  };
}
