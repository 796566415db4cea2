import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CompactorOptions } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { gatedModel } from "../summaries/gated-model.ts";
import { dialectOf } from "../support/dialects.ts";

/** States of version 1, with the transcripts that they were made for and the views that they led to. */
const FOLDER = new URL("../fixtures/state-v1/", import.meta.url);

interface Fixture {
  readonly dialect: string;
  readonly options: Partial<CompactorOptions<object>>;
  readonly system?: string;
  readonly transcript: readonly object[];
  readonly state: { readonly version: 1; readonly summaries: readonly { readonly text: string }[] };
  readonly view: { readonly messages: readonly object[]; readonly system: unknown };
}

const NOW = 1_700_100_000_000;

describe.each(readdirSync(FOLDER))("a state of version 1: %s", (file) => {
  const fixture = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Fixture;
  const { transcript, system } = fixture;

  async function fitWith(state: unknown, summarizer = gatedModel()) {
    const compactor = createCompactor<object>({
      dialect: dialectOf(fixture.dialect),
      ...fixture.options,
      ...(fixture.state.summaries.length > 0 && { summarizer }),
    });
    const result = await compactor.fit(transcript, {
      now: NOW,
      lastRequestAt: NOW,
      state,
      ...(system !== undefined && { system }),
    });
    const newer = await result.background;
    await compactor.close();
    return { result, newer, calls: summarizer.requests.length };
  }

  it("gives the view that it gave, and nothing is paid for", async () => {
    const { result, calls } = await fitWith(fixture.state);
    expect(result.report.warnings).toEqual([]);
    expect(result.report.outcome).toBe("view");
    expect(result.messages).toEqual(fixture.view.messages);
    expect(result.system ?? null).toEqual(fixture.view.system);
    expect(calls).toBe(0);
  });

  it("becomes one of version 2, which gives the same", async () => {
    const { newer } = await fitWith(fixture.state);
    expect(newer.version).toBe(2);
    expect(newer.summaries.map(({ text }) => text)).toEqual(fixture.state.summaries.map(({ text }) => text));
    expect(JSON.stringify(newer).length).toBeLessThan(JSON.stringify(fixture.state).length);
    const { result, calls } = await fitWith(JSON.parse(JSON.stringify(newer)));
    expect(result.report.warnings).toEqual([]);
    expect(result.messages).toEqual(fixture.view.messages);
    expect(calls).toBe(0);
  });
});
