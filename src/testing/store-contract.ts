import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServerStore } from "../stores/server-store.ts";
import { describeConversations } from "./store-contract/conversations.ts";
import { describeDeleting } from "./store-contract/deleting.ts";
import { describeFinding } from "./store-contract/finding.ts";
import { describeRecall } from "./store-contract/recall.ts";
import { describeRecords } from "./store-contract/records.ts";
import { describeRequests } from "./store-contract/requests.ts";
import { itIsTheSameAsPlainArrays } from "./store-contract/same-as-model.ts";
import { type ContractContext, START, storedTranscript } from "./store-contract/samples.ts";
import {
  describeClientKeys,
  describeLearned,
  describeLeases,
  describeStreams,
} from "./store-contract/small-tables.ts";
import { describeTexts } from "./store-contract/texts.ts";
import { describeUpkeep } from "./store-contract/upkeep.ts";

export { storedTranscript, textsOf } from "./store-contract/samples.ts";

/** What `describeStore` takes. */
export interface StoreContract {
  readonly name: string;
  /** Opens an empty store with the clock and the ids that it is given. Called once for each case. */
  open(effects: { readonly now: () => number }): Promise<ServerStore> | ServerStore;
  /** False for a store that uses the database's clock for leases, so that they can't be tested by moving ours. */
  readonly ownClock?: boolean;
  /** How many random histories of clients are compared with plain arrays. Default 40. */
  readonly runs?: number;
}

const RUNS = 40;

/** The suite that every server store passes. Run it on your own. */
export function describeStore({ name, open, ownClock = true, runs = RUNS }: StoreContract): void {
  describe(`store contract: ${name}`, () => {
    let store: ServerStore;
    let count = 0;
    const context: ContractContext = {
      get store() {
        return store;
      },
      now: START,
      ownClock,
      open: async () => open({ now: () => context.now }),
      tenants() {
        count += 1;
        return [`tenant-${count}`, `other-${count}`];
      },
      add: (tenant, input) => store.conversations.append(tenant, { at: context.now, ...input }),
    };

    beforeAll(async () => {
      store = await context.open();
      await store.ready();
    });
    afterAll(() => store?.close());

    itIsTheSameAsPlainArrays(context, runs);
    describeRecords(context);
    describeConversations(context);
    describeTexts(context);
    describeFinding(context);
    describeDeleting(context);
    describeRequests(context);
    describeLeases(context);
    describeStreams(context);
    describeLearned(context);
    describeClientKeys(context);
    describeUpkeep(context);
    describeRecall(context);

    it("finishes what is under way before it closes", async () => {
      const closing = await context.open();
      const work = Array.from({ length: 5 }, (_, i) =>
        closing.conversations.append("t", { messages: storedTranscript(`m${i}`), at: context.now }),
      );
      const reading = closing.find(["a"]);
      await closing.close();
      expect(await Promise.all(work)).toHaveLength(5);
      await reading;
    });

    it("refuses to work once it is closed", async () => {
      const closed = await context.open();
      await closed.ready();
      await closed.close();
      await closed.close();
      await expect(closed.find(["a"])).rejects.toThrow(/closed/);
    });
  });
}
