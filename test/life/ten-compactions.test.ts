/** Without a model a view is made from the transcript alone: after ten compactions it shows what one compaction shows. */
import { expect, it } from "vitest";
import { DIALECT_IDS } from "../support/dialects.ts";
import { createHost, session } from "../support/host.ts";

const COMPACTIONS = 10;
const BUDGET = 3_500;

it.each(DIALECT_IDS)("%s: the tenth view is the one that a single compaction makes", async (id) => {
  const { messages, system } = session(60, id);
  const head = system === undefined ? {} : { system };
  const often = createHost({ id, budget: BUDGET });
  const views: object[] = [];
  for (let step = 1; step <= COMPACTIONS; step++) {
    const until = Math.round((messages.length * step) / COMPACTIONS);
    often.transcript.push(...messages.slice(often.transcript.length, until));
    const { report, messages: view } = await often.compact(head);
    if (report.outcome === "compacted") views.push(view);
  }
  const once = await createHost({ id, budget: BUDGET }, messages).compact(head);
  expect(views.length).toBeGreaterThan(COMPACTIONS / 2);
  expect(views.at(-1)).toEqual(once.messages);
});
