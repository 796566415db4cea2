import type { Store } from "../../core/types.ts";
import { recordsApart } from "./records-apart.ts";

/** The engine's records of each tenant, with a number that grows whenever this process has written some. */
export interface WatchedRecords {
  /** Those of the conversations themselves, or those of requests with a wish of their own, by its mark. */
  of(tenant: string, mark?: string): Store;
  version(tenant: string): number;
}

export function watchRecords(records: (tenant: string) => Store): WatchedRecords {
  const versions = new Map<string, number>();
  const version = (tenant: string): number => versions.get(tenant) ?? 0;
  return {
    version,
    of(tenant, mark) {
      const store = recordsApart(records(tenant), mark);
      return {
        find: (hashes) => store.find(hashes),
        async save(saved) {
          await store.save(saved);
          versions.set(tenant, version(tenant) + 1);
        },
      };
    },
  };
}
