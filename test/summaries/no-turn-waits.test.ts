import { afterEach, expect, it } from "vitest";
import { chat, type FakeProvider, startFakeProvider, summarizingReply } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";
import { compactions, createPlayer, summaryRequests } from "./player.ts";

let provider: FakeProvider | undefined;
afterEach(async () => provider?.close());

it("a summariser that never answers holds up no turn, and the conversation stays inside its budget", async () => {
  const summary = summarizingReply();
  provider = await startFakeProvider({
    reply: async (request) =>
      /record of the/.test(request.lastUser) ? new Promise<string>(() => {}) : summary(request),
  });
  const player = createPlayer(provider, { budget: 4_000 });
  await player.play([chat.system("You help."), ...talk(40)]);
  // Each compaction was applied without the model; one summary was asked for and is still awaited.
  expect(compactions(player).length).toBeGreaterThan(1);
  for (const { report } of compactions(player)) expect(report.rungs.at(-1)?.rung).toBe("extractive");
  expect(summaryRequests(provider)).toHaveLength(1);
  await player.close();
});

it("a summary that comes late joins the next compaction", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const summary = summarizingReply();
  provider = await startFakeProvider({
    reply: async (request) => {
      if (/record of the/.test(request.lastUser)) await released;
      return summary(request);
    },
  });
  const player = createPlayer(provider, { budget: 4_000 });
  await player.play([chat.system("You help."), ...talk(24)]);
  const late = compactions(player).length;
  expect(late).toBeGreaterThan(0);
  release();
  await player.settle();
  await player.play(talk(24, 100));
  await player.settle();
  await player.play(talk(24, 200));
  const rungs = compactions(player)
    .slice(late)
    .map(({ report }) => report.rungs.at(-1)?.rung);
  expect(rungs).toContain("full");
  await player.close();
});
