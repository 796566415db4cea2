import { expect, it } from "vitest";
import { responses as b } from "../../src/testing/index.ts";
import { createHost } from "../support/host.ts";

it("a result that comes after its call was compacted away never stands alone", async () => {
  const host = createHost({ id: "openai-responses", budget: 2_000 }, [
    b.user("Start the slow job, and go on meanwhile."),
    b.call("slow", { job: 1 }, "slow"),
  ]);
  let compactions = 0;
  for (let round = 0; compactions === 0 || round % 10 !== 0; round++) {
    host.transcript.push(...b.round("read", { path: `${round}.ts` }, "text ".repeat(60), `c${round}`));
    if ((await host.fit()).report.outcome === "compacted") compactions++;
  }
  host.transcript.push(b.result("slow", "The slow job is done."), b.user("And?"));
  // `createHost` judges every view.
  const { report } = await host.fit();
  expect(report.prefixChanged).toBe(true);
});
