import { expect, it } from "vitest";
import type { HostState } from "../../src/core/types.ts";
import { BUILDERS, DIALECT_IDS } from "../support/dialects.ts";
import { createHost, sent, session } from "../support/host.ts";

const plan = (status: "active" | "done"): HostState => ({
  title: "Plan",
  steps: [
    { text: "find the imports", status: "done" },
    { text: "rename the file", status },
  ],
});

it.each(DIALECT_IDS)("%s: the view says how the work stands now, not at the last compaction", async (id) => {
  const { messages, system } = session(40, id);
  const input = system === undefined ? {} : { system };
  const host = createHost({ id, budget: 4_000 }, messages);
  const before = await host.fit({ ...input, hostState: plan("active") });
  expect(before.report.outcome).toBe("compacted");
  expect(sent(before).split("[active] rename the file")).toHaveLength(2);

  const after = await host.fit({ ...input, hostState: plan("done") });
  expect(after.report.outcome).toBe("view");
  expect(sent(after)).not.toContain("[active]");
  expect(sent(after).split("[done] rename the file")).toHaveLength(2);
  // What was sent before it is cached: the state stands behind everything.
  expect(after.report.prefixChanged).toBe(false);
  expect(after.messages.slice(0, -1)).toEqual(before.messages.slice(0, -1));

  host.transcript.push(BUILDERS[id]!.assistant("Renamed."), BUILDERS[id]!.user("And now?"));
  const next = await host.fit({ ...input, hostState: plan("done") });
  expect(next.messages.slice(0, before.messages.length - 1)).toEqual(before.messages.slice(0, -1));
  expect(JSON.stringify(next.messages.at(-1))).toContain("[done] rename the file");
  expect(next.report.entries.at(-1)).toMatchObject({ type: "insert", covers: [] });
});

it("a pass-through shows the transcript and nothing else", async () => {
  const { messages } = session(4, "openai-chat");
  const host = createHost({ budget: 100_000 }, messages);
  const result = await host.fit({ hostState: plan("active") });
  expect(result.messages).toEqual(messages);
});

it("a host state that is far too long gives way to the conversation", async () => {
  const { messages } = session(40, "openai-chat");
  const host = createHost({ budget: 4_000 }, messages);
  const hostState = Array.from({ length: 5_000 }, (_, n) => `step ${n} of the plan`).join("\n");
  const result = await host.fit({ hostState });
  expect(result.report.outcome).toBe("compacted");
  expect(sent(result)).toMatch(/\(\d+ more\)/);
  expect(result.report.tokens.after).toBeLessThanOrEqual(4_000);
});
