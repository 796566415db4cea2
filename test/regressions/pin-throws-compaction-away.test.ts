import { expect, it } from "vitest";
import { DIALECT_IDS } from "../support/dialects.ts";
import { createHost, sent, session } from "../support/host.ts";

it.each(DIALECT_IDS)(
  "%s: a pinned message joins the view, and everything else stays as it was",
  async (id) => {
    const { messages, system } = session(40, id);
    const input = system === undefined ? {} : { system };
    const host = createHost({ id, budget: 4_000 }, messages);
    const before = await host.fit(input);
    expect(before.report.outcome).toBe("compacted");
    const [hidden] = before.report.entries.flatMap((entry) => (entry.type === "insert" ? entry.covers : []));
    const at = hidden!.from + 1;

    const after = await host.fit({ ...input, pins: [at] });
    expect(after.report.outcome).toBe("view");
    expect(after.report.checkpoint).toBe(before.report.checkpoint);
    expect(after.report.prefixReason).toBe("pin");
    expect(after.messages).toContain(host.transcript[at]);
    expect(after.report.counts.covered).toBeGreaterThan(0);
    expect(after.report.pressure.after).toBeLessThan(before.report.pressure.after + 0.4);

    // It stays where it is, byte for byte, for as long as it is pinned; without the pin the view is the old one again.
    const again = await host.fit({ ...input, pins: [at] });
    expect(again.report.prefixChanged).toBe(false);
    expect(sent(again)).toBe(sent(after));
    const released = await host.fit(input);
    expect(released.report.prefixReason).toBe("pin");
    expect(sent(released)).toBe(sent(before));
  },
);

it("pins of everything that a summary speaks for leave no summary behind", async () => {
  const { messages } = session(12, "openai-chat");
  const host = createHost({ budget: 2_000 }, messages);
  const before = await host.fit();
  expect(before.report.outcome).toBe("compacted");
  const roomy = createHost({ budget: 2_400 }, messages);
  roomy.state = host.state;
  const hidden = before.report.entries.flatMap((entry) =>
    entry.type === "insert" ? entry.covers.flatMap(({ from, to }) => range(from, to)) : [],
  );
  // All that fits the larger budget: the compaction is made anew around it, or there is none left to speak of.
  const after = await roomy.fit({ pins: hidden.slice(0, 3) });
  for (const index of hidden.slice(0, 3)) expect(after.messages).toContain(host.transcript[index]);
});

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
