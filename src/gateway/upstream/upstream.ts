import type { Pool } from "undici";
import { isProviderHost } from "../../config/environment.ts";
import type { UpstreamConfig } from "../../config/gateway-schema.ts";
import { wireAtPath, wireOfDialect, wires } from "../wires/index.ts";
import type { Wire } from "../wires/wire.ts";
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
  /** A provider that many pay for. Its models are in the registry, so it isn't asked for what a small server tells. */
  readonly isKnownProvider: boolean;
  /** It has the provider's own compaction API. */
  readonly isNative: boolean;
  /** Whose convention a request follows there: where the base URL ends, and which header carries a key. */
  conventionOf(path: string): Wire["convention"];
  takes(model: string, dialect: DialectName | undefined): boolean;
  windowOf(model: string): number | undefined;
}

const all = [...wires.values()];

export function createUpstream(config: UpstreamConfig): Upstream {
  const url = new URL(config.baseURL);
  const own = all.filter((wire) => wire.isProvider(url.hostname));
  const dialects =
    config.dialects ?? (own.length > 0 ? own : all).map((wire) => wire.dialect.id as DialectName);
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
    isKnownProvider: own.length > 0 || isProviderHost(url.hostname),
    isNative: config.nativeCompaction ?? own.some(({ native }) => native),
    conventionOf: (path) =>
      wireAtPath(path)?.convention ??
      (dialects.some((dialect) => wireOfDialect(dialect).convention === "openai")
        ? "openai"
        : wireOfDialect(dialects[0]).convention),
    takes: (model, dialect) =>
      (dialect === undefined || dialects.includes(dialect)) &&
      (models === undefined || models.some((test) => test(model))),
    windowOf: (model) => windows.find(({ test }) => test(model))?.window,
  };
}

/** A test for a name with `*` for any characters. */
function glob(pattern: string): (text: string) => boolean {
  if (!pattern.includes("*")) return (text) => text === pattern;
  const source = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const regex = new RegExp(`^${source.join(".*")}$`, "is");
  return (text) => regex.test(text);
}
