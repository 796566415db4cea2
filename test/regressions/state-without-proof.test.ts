import { expect, it } from "vitest";
import { reordered } from "../support/change-json.ts";
import { createHost, sent, session } from "../support/host.ts";

it("a checkpoint survives a database that reorders fields, and not one that changes a number", async () => {
  const host = createHost({ budget: 4_000 }, session(60).messages);
  const before = await host.fit();
  const other = createHost({ budget: 4_000 }, host.transcript);
  other.state = reordered(host.state) as typeof host.state;
  const after = await other.fit();
  expect(after.report.outcome).toBe("view");
  expect(sent(after)).toBe(sent(before));

  const broken = createHost({ budget: 4_000 }, host.transcript);
  const [checkpoint] = host.state!.checkpoints;
  broken.state = { ...host.state!, checkpoints: [{ ...checkpoint!, budget: 1 }] };
  expect((await broken.fit()).report.outcome).toBe("compacted");
});
