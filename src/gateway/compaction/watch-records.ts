import type { Store } from "../../core/types.ts";

/** The engine's records of each tenant, with a number that grows whenever this process has written some. */
export interface WatchedRecords {
  of(tenant: string): Store;
  version(tenant: string): number;
}

export function watchRecords(records: (tenant: string) => Store): WatchedRecords {
  const versions = new Map<string, number>();
  const version = (tenant: string): number => versions.get(tenant) ?? 0;
  return {
    version,
    of(tenant) {
      const store = records(tenant);
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
