import { stringifyDeep } from "../../core/deep-json.ts";
import { ModelError } from "../../core/errors.ts";
import { contentHash } from "../../core/hash.ts";
import type { Model } from "../../core/types.ts";
import type { LeaseStore } from "../../stores/server-store.ts";

/** A node that dies while it writes a summary is taken over after this long (milliseconds). */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** Lets one node at a time ask for the same summary. The others go on without it and find it in the store later. */
export function singleFlight(
  model: Model,
  { leases, tenant, node }: { readonly leases: LeaseStore; readonly tenant: string; readonly node: string },
): Model {
  return {
    ...model,
    async complete(request) {
      const { name, system, messages, continues } = request;
      const lease = `summary/${contentHash(stringifyDeep([model.id, name, system, messages, continues]))}`;
      const owner = `${node}/${++calls}`;
      if (!(await leases.acquire(tenant, lease, owner, LEASE_MS)))
        throw new ModelError({
          model: model.id,
          failure: "overloaded",
          message: "another node is writing this summary already.",
          fix: "Nothing is to be done: it is used as soon as it is there.",
        });
      const timer = setInterval(() => {
        leases.renew(tenant, lease, owner, LEASE_MS).catch(() => {});
      }, RENEW_MS);
      try {
        return await model.complete(request);
      } finally {
        clearInterval(timer);
        await leases.release(tenant, lease, owner).catch(() => {});
      }
    },
  };
}

let calls = 0;
