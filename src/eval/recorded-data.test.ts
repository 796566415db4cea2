import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PROOF } from "../../test/support/proof.ts";
import { charsCounter } from "../tokens/index.ts";
import { keepLast, withoutResults } from "./contestants.ts";
import { findSets } from "./node/find-sets.ts";
import { runRetention } from "./retention.ts";

/** Figures of the recorded data, without names of arguments: whoever changes a measure or a baseline has to see it here. */
const data = fileURLToPath(new URL("../../../shared/data", import.meta.url));

const percents = async (set: string, measures: readonly string[]) => {
  const sets = findSets(data).filter(({ id }) => id === set);
  const result = await runRetention({
    sets,
    contestants: [keepLast, withoutResults],
    counter: charsCounter(),
    shares: [0.1],
  });
  return result.sets[0]?.rows.map((row) =>
    measures.map((id) => ((row.measures[id]?.mean ?? Number.NaN) * 100).toFixed(1)),
  );
};

if (existsSync(data)) {
  // Hundreds of cuts take ten seconds.
  if (PROOF !== "sample")
    test("published figures of sessions of agents are reproduced", async () => {
      expect(await percents("agent-sessions/cuts", ["naar", "naar-ctx", "naar-old"])).toEqual([
        ["44.4", "44.4", "0.0"],
        ["60.7", "52.4", "31.3"],
      ]);
    });

  test("published figures of long chats are reproduced", async () => {
    const [first] = (await percents("probes/beam-100K-dev", ["evidence-text"])) ?? [];
    expect(first).toEqual(["5.8"]);
  });
} else {
  test("published figures of the baselines are reproduced", ({ skip }) => {
    console.log("skipped: no data");
    skip();
  });
}
