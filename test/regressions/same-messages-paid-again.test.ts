/** A summariser with a window of 8,192 tokens made 75 requests for one compaction, and 34 to 38 again on each later call. */
import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import type { ModelRequest, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";

function smallModel() {
  const requests: ModelRequest[] = [];
  return {
    requests,
    id: "nobody-knows-this-model",
    async complete(request: ModelRequest) {
      requests.push(request);
      const [, first = ""] = /Question (\d+):/.exec(request.messages[0]!.text) ?? [];
      const items = /<must-keep>([\s\S]*?)<\/must-keep>/.exec(request.messages[0]!.text)?.[1]?.trim();
      const text = `## Goal\n- The user asked question ${first} and others: ${items?.replaceAll("\n", ", ")}. #1`;
      return { text, stop: "end" as const, usage: { input: 1, output: 1 } };
    },
  };
}

/** Questions that a request shows. */
const shownIn = ({ name, messages }: ModelRequest): number[] =>
  name === "summarize-merge"
    ? []
    : [...messages[0]!.text.matchAll(/Question (\d+):/g)].map(([, number]) => Number(number));

it("a long run is read in at most twelve requests, no message twice, and the report warns", async () => {
  const model = smallModel();
  const compactor = createCompactor({
    dialect: openaiChat,
    window: 128_000,
    profile: profiles.agent,
    summarizer: model,
  });
  const transcript = talk(700);
  const { report, state: first } = await compactor.compact(transcript, { now: 1 });
  expect(report.warnings.map(({ code }) => code)).toContain("many-summary-requests");
  expect(model.requests.filter(({ name }) => name !== "summarize-merge")).toHaveLength(12);
  let state: State = first;
  const paid = model.requests.length;
  for (let turn = 0; turn < 4; turn++) {
    transcript.push(chat.user(`Go on, ${turn}.`));
    ({ state } = await compactor.fit(transcript, { state, now: 2 + turn }));
    await compactor.settled();
    transcript.push(chat.assistant("Good."));
  }
  // Nothing is due, so nobody is asked; the rest is read by the next compaction.
  expect(model.requests.length).toBe(paid);
  await compactor.compact(transcript, { state, now: 10 });
  await compactor.close();
  const seen = model.requests.flatMap(shownIn);
  expect(new Set(seen).size).toBe(seen.length);
});

it("a window that nobody knows is asked of the server, once", async () => {
  let asked = 0;
  const model = {
    ...smallModel(),
    async findWindow() {
      asked++;
      return 400_000;
    },
  };
  const compactor = createCompactor({
    dialect: openaiChat,
    window: 128_000,
    profile: profiles.agent,
    summarizer: model,
  });
  const { report } = await compactor.compact(talk(300), { now: 1 });
  await compactor.compact(talk(320), { now: 2 });
  await compactor.close();
  expect(asked).toBe(1);
  expect(report.modelCalls.map(({ name }) => name)).toEqual(["summarize-full"]);
});
