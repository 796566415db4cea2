import { describe, expect, it } from "vitest";
import { DIALECT_IDS } from "../support/dialects.ts";
import { createHost, sent, session } from "../support/host.ts";

describe.each(DIALECT_IDS)("%s", (id) => {
  it.each(["merged", "system"] as const)(
    "placement %s: without a system prompt the summary is still sent",
    async (placement) => {
      const { messages } = session(60, id);
      const own = messages.filter((message) => (message as { role?: string }).role !== "system");
      const host = createHost({ id, budget: 4_000, placement }, own);
      const result = await host.fit();
      const insert = result.report.entries.find((entry) => entry.type === "insert");
      expect(insert).toBeDefined();
      expect(sent(result)).toContain(JSON.stringify(insert?.message.text).slice(1, -1));
    },
  );
});
