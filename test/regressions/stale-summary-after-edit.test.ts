import { expect, it } from "vitest";
import { chat } from "../../src/testing/index.ts";
import { createHost, sent, talk } from "../support/host.ts";

it("an edited message is never answered from the summary of its old text", async () => {
  const host = createHost({ budget: 3_000 }, [chat.user("Deploy to the cluster named osprey."), ...talk(30)]);
  const before = await host.fit();
  expect(before.report.outcome).toBe("compacted");
  expect(sent(before)).toContain("osprey");
  host.transcript[0] = chat.user("Deploy to the cluster named kestrel.");
  const after = await host.fit();
  expect(sent(after)).not.toContain("osprey");
  expect(sent(after)).toContain("kestrel");
});
