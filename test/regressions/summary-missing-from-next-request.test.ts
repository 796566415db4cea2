import { expect, it } from "vitest";
import { DIALECT_IDS } from "../support/dialects.ts";
import { createHost, sent, session } from "../support/host.ts";

it.each(DIALECT_IDS)(
  "%s: the summary is in the request that follows, and in the one after it",
  async (id) => {
    const { messages, system } = session(60, id);
    const input = system === undefined ? {} : { system };
    const host = createHost({ id, budget: 5_000 });
    let summary: string | undefined;
    let since = 0;
    for (const message of messages) {
      host.transcript.push(message);
      const result = await host.fit(input);
      const insert = result.report.entries.find((entry) => entry.type === "insert");
      if (result.report.outcome === "compacted") {
        expect(insert).toBeDefined();
        summary = insert?.message.text;
        since = 0;
      } else if (summary !== undefined) since++;
      if (summary !== undefined) expect(sent(result)).toContain(JSON.stringify(summary).slice(1, -1));
    }
    expect(since).toBeGreaterThan(1);
  },
);
