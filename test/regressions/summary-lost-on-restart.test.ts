import { expect, it } from "vitest";
import type { State } from "../../src/core/types.ts";
import { createHost, sent, session } from "../support/host.ts";

it("a restart with the stored state neither loses nor remakes the summary", async () => {
  const { messages } = session(50);
  const host = createHost({ budget: 5_000 }, messages);
  const before = await host.fit();
  expect(before.report.outcome).toBe("compacted");
  const stored = JSON.stringify({ transcript: host.transcript, state: host.state });
  await host.close();

  const loaded = JSON.parse(stored) as { transcript: object[]; state: State };
  const reborn = createHost({ budget: 5_000 }, loaded.transcript);
  reborn.state = loaded.state;
  const after = await reborn.fit();
  expect(after.report.outcome).toBe("view");
  expect(sent(after)).toBe(sent(before));
});
