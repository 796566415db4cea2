import { expect, it } from "vitest";
import { createHost, session } from "../support/host.ts";

it("one compaction serves many turns", async () => {
  const { messages } = session(200);
  const host = createHost({ budget: 8_000 });
  const made = new Set<string>();
  let compactions = 0;
  for (const message of messages) {
    host.transcript.push(message);
    const { report } = await host.fit();
    if (report.outcome === "compacted") {
      compactions++;
      made.add(report.checkpoint!);
    } else if (report.checkpoint !== undefined) expect(made).toContain(report.checkpoint);
  }
  expect(compactions).toBeGreaterThan(1);
  expect(compactions).toBeLessThan(messages.length / 15);
  expect(made.size).toBe(compactions);
});

it("asking twice for the same view compacts once", async () => {
  const { messages } = session(60);
  const host = createHost({ budget: 5_000 }, messages);
  expect((await host.fit()).report.outcome).toBe("compacted");
  expect((await host.fit()).report.outcome).toBe("view");
  expect((await host.fit()).report.outcome).toBe("view");
});
