import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { rulesConversations } from "../../src/eval/rules/conversation.ts";
import { LANGUAGE_CODES } from "../../src/eval/rules/phrases.ts";
import type { RulesResult } from "../../src/eval/rules/result.ts";
import { startFakeProvider } from "../../src/testing/index.ts";
import { lossySummaries } from "../support/lossy-summaries.ts";
import { runCli, scratchFolder } from "./run-cli.ts";

const scratch = scratchFolder();
afterAll(scratch.remove);

/** Of 100 rules, so many stand in the view word for word at least; measured on another seed than the full run. */
const FLOORS: Readonly<Record<string, number>> = { precis: 80, "precis+model": 70 };

it("rules in nine languages survive compactions, with a model that forgets them, too", async () => {
  const conversations = rulesConversations({ languages: LANGUAGE_CODES, seeds: 1 });
  const provider = await startFakeProvider({ reply: lossySummaries(conversations) });
  const html = scratch.path("rules.html");
  const { code, stdout } = await runCli([
    ...["eval", "rules", "--sample", "--sizes", "8k", "--times", "1,3"],
    ...["--summarizer", `lossy@${provider.url}/v1`, "--window", "200k", "--yes", "--html", html, "--json"],
  ]);
  expect([code, provider.requests.length > 0]).toEqual([0, true]);
  await provider.close();
  const { rows, missing } = JSON.parse(stdout) as RulesResult;
  expect(rows.map(({ arm, compactions }) => `${arm} ${compactions}`)).toEqual([
    "newest 1",
    "precis 1",
    "precis 3",
    "precis+model 1",
    "precis+model 3",
  ]);
  for (const { arm, rules, kept, stale, failed } of rows) {
    if (arm === "newest") continue;
    expect((100 * kept) / rules, arm).toBeGreaterThanOrEqual(FLOORS[arm]!);
    expect(failed).toBe(0);
    // What was changed or taken back doesn't come back.
    if (arm === "precis") expect(stale).toBe(0);
  }
  expect(missing.length).toBeGreaterThan(0);
  expect(readFileSync(html, "utf8")).toContain("Kept by language");
});

it("a person's own conversations are measured, too", async () => {
  const data = scratch.path("own");
  mkdirSync(data);
  const messages = Array.from({ length: 60 }, (_, turn) => [
    {
      role: "user",
      content:
        turn === 1
          ? // A row of a table is a document's, and no rule that somebody gives.
            "Fine. Never call her Liz. Next?\n| mistake | fix |\n| late | always call before |"
          : `What about house ${turn}?`,
    },
    { role: "assistant", content: `House ${turn} has a roof. ${"It stands in the sun. ".repeat(20)}` },
  ]).flat();
  const probes = [{ q: "?", a: "roof", type: "fact", evidence: [1] }];
  writeFileSync(join(data, "talk.jsonl"), JSON.stringify({ id: "t", dataset: "own", messages, probes }));
  const { code, stdout } = await runCli(["eval", "rules", "--data", data, "--sizes", "30%", "--times", "1"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/newest +30 % +1 +0\.0 +1/);
  expect(stdout).toMatch(/precis +30 % +1 +100\.0 +1/);
  expect((await runCli(["eval", "rules", "--data", data, "--languages", "de"])).stderr).toMatch(
    /generated conversations/,
  );
});
