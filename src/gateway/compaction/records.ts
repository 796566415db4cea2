import { defined } from "../../core/collections.ts";
import type { Records, Store } from "../../core/types.ts";
import type { ServerStore } from "../../stores/server-store.ts";

/** The engine's records of each tenant, with a number that grows whenever this process has written some. */
export type WatchedRecords = ReturnType<typeof watchRecords>;

export function watchRecords({ records, forgetSummaries }: Pick<ServerStore, "records" | "forgetSummaries">) {
  const versions = new Map<string, number>();
  const version = (tenant: string): number => versions.get(tenant) ?? 0;
  const changed = (tenant: string): void => void versions.set(tenant, version(tenant) + 1);
  return {
    version,
    /** Removes all summaries of a conversation, given the chain hashes of its messages. */
    async forget(tenant: string, hashes: readonly string[]): Promise<void> {
      await forgetSummaries(tenant, hashes);
      changed(tenant);
    },
    /** Those of the conversations themselves, or those of requests with a wish of their own, by its mark. */
    of(tenant: string, mark?: string): Store {
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

/** Between the name of a record and the mark of the wish that it was made for. No hash contains it. */
const SIGN = "~";

/** The name of a record without its mark, as reports have it. */
export function bareName(name: string): string {
  const at = name.indexOf(SIGN);
  return at < 0 ? name : name.slice(0, at);
}

/**
 * The records of one mark, or those without any. They lie beside each other under the hashes of their messages, so that
 * they are deleted with their conversation, but neither sees the other's.
 */
export function markedRecords(store: Store, mark: string | undefined): Store {
  const end = mark === undefined ? "" : `${SIGN}${mark}`;
  const isOurs = (name: string): boolean => (mark === undefined ? !name.includes(SIGN) : name.endsWith(end));
  const bare = (name: string) => (isOurs(name) ? name.slice(0, name.length - end.length) : undefined);
  return {
    find: async (hashes) => renamed(await store.find(hashes), bare) as Records,
    save: (saved) => store.save(renamed(saved, (name) => name + end)),
  };
}

/** Where each kind of record has its name. How long answers are is the same whatever a request wishes for its view. */
const NAMES = { checkpoints: "id", summaries: "key", undos: "checkpoint", recalled: "checkpoint" } as const;

/** The records under other names; without those that get none. */
function renamed(records: Partial<Records>, rename: (name: string) => string | undefined): Partial<Records> {
  const lists = Object.entries(NAMES).map(([kind, field]) => {
    const list = records[kind as keyof typeof NAMES] as
      | readonly Readonly<Record<string, string>>[]
      | undefined;
    return [
      kind,
      list?.flatMap((one) => {
        const name = rename(one[field]!);
        return name === undefined ? [] : [{ ...one, [field]: name }];
      }),
    ];
  });
  return { ...records, ...defined(Object.fromEntries(lists) as Partial<Records>) };
}
