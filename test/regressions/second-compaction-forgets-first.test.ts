import { expect, it } from "vitest";
import { chat } from "../../src/testing/index.ts";
import { createHost, sent, talk } from "../support/host.ts";

it("what the user asked for before the first compaction is still there after the second and the third", async () => {
  const wish = "All dates must be written as 2031-07-04.";
  const host = createHost({ budget: 3_000 }, [
    chat.system("You help."),
    chat.user(wish),
    chat.assistant("Sure."),
  ]);
  let compactions = 0;
  for (const message of talk(60)) {
    host.transcript.push(message);
    const result = await host.fit();
    if (result.report.outcome === "compacted") compactions++;
    if (compactions > 0) expect(sent(result), `after ${compactions} compactions`).toContain(wish);
  }
  expect(compactions).toBeGreaterThanOrEqual(3);
});
