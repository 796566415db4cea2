import type { GatewayConfig } from "../../config/gateway-schema.ts";
import type { ServerStore } from "../../stores/server-store.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Compactors } from "./compactors.ts";
import type { Learned } from "./learned.ts";
import type { WatchedRecords } from "./records.ts";
import type { AskWindow, Windows } from "./windows.ts";

/** What a server compacts with. Whoever needs some of it takes these (`Pick`), never all. */
export interface CompactionParts extends Telemetry {
  readonly config: GatewayConfig;
  readonly store: ServerStore;
  readonly upstreams: readonly Upstream[];
  /** What is kept of models in the store. */
  readonly learned: Learned;
  readonly windows: Windows;
  readonly askWindow: AskWindow;
  readonly compactors: Compactors;
  /** With `observe`: what clients' requests are given to instead. */
  readonly observing: Compactors | undefined;
  /** The engine's records. Write them here, not to the store, so that nothing that was derived from them goes stale. */
  readonly records: WatchedRecords;
}
