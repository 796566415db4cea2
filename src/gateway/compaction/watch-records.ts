import type { Store } from "../../core/types.ts";
import type { ServerStore } from "../../stores/server-store.ts";
import { markedRecords } from "./marked-records.ts";

/** The engine's records of each tenant, with a number that grows whenever this process has written some. */
export interface WatchedRecords {
  /** Those of the conversations themselves, or those of requests with a wish of their own, by its mark. */
  of(tenant: string, mark?: string): Store;
  version(tenant: string): number;
  /** Removes all summaries of a conversation, given the chain hashes of its messages. */
  forget(tenant: string, hashes: readonly string[]): Promise<void>;
}

export function watchRecords({
  records,
  forgetSummaries,
}: Pick<ServerStore, "records" | "forgetSummaries">): WatchedRecords {
  const versions = new Map<string, number>();
  const version = (tenant: string): number => versions.get(tenant) ?? 0;
  const changed = (tenant: string): void => void versions.set(tenant, version(tenant) + 1);
  return {
    version,
    async forget(tenant, hashes) {
      await forgetSummaries(tenant, hashes);
      changed(tenant);
    },
    of(tenant, mark) {
      const store = markedRecords(records(tenant), mark);
      return {
        find: (hashes) => store.find(hashes),
        async save(saved) {
          await store.save(saved);
          changed(tenant);
        },
      };
    },
  };
}
