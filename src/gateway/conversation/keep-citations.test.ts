import { expect, it } from "vitest";
import { countTurns } from "../../../test/support/count-turns.ts";
import type { Message } from "../../core/types.ts";
import type { CitationSource, CitationStore } from "../../stores/server-store.ts";
import type { Log } from "../telemetry/log.ts";
import { createCitations } from "./citations.ts";

const answer = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });

function openCitations() {
  const stored: CitationSource[] = [];
  const store: Pick<CitationStore, "list" | "register"> = {
    list: async () => [],
    async register(_tenant, _conversation, sources) {
      stored.push(...sources);
      return [];
    },
  };
  return { stored, citations: createCitations(store as CitationStore, { redact: false, log: {} as Log }) };
}

const SOURCES = "See [1].\n\nSources:\n[1] https://example.com/a";

it("long answers are looked at with turns for others, and the sources behind them are found", async () => {
  const { stored, citations } = openCitations();
  const messages = [...Array.from({ length: 20 }, () => answer("x".repeat(400_000))), answer(SOURCES)];
  const turns = await countTurns(async () => {
    citations.note("t", "c", messages, 0);
    await citations.settled();
  });
  expect(turns).toBeGreaterThanOrEqual(10);
  expect(stored.map(({ source }) => source)).toEqual(["https://example.com/a"]);
});

it("short answers that cite nothing are done at once", async () => {
  const { stored, citations } = openCitations();
  citations.note("t", "c", [answer("Nothing."), answer("Nothing.")], 0);
  await citations.settled();
  expect(stored).toEqual([]);
});
