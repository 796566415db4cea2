import { expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import { summarizingReply } from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "../gateway/api-support.ts";
import { type StartedGateway, startBoth } from "../gateway/gateway-process.ts";

let gateway: StartedGateway;

const { call, events } = apiOf(() => gateway.url);

it.each(["memory", ":memory:"])("summaries that a person cleared are written anew (%s)", async (db) => {
  let words = "WRONG";
  let asked = 0;
  // The chat's counts follow the provider's, so that its 7,000 tokens are compacted by the way.
  ({ gateway } = await startBoth(
    { window: 7_600, db },
    {
      window: 100_000,
      reply: summarizingReply({
        otherwise: ({ number }) => `Answer ${number}. ${"So it is. ".repeat(60)}`,
        wrap(summary) {
          asked++;
          return `${summary}\nAll of this was ${words} anyway.`;
        },
      }),
    },
  ));
  const { id } = await call(routes.createConversation, { body: { model: "m", system: "Be brief." } });
  for (let turn = 0; turn < 24; turn++)
    await events(routes.chat, {
      params: { id },
      body: { text: `Turn ${turn}: ${"and more of it. ".repeat(30)}` },
    });
  await call(routes.compact, { params: { id }, body: {} });
  const shown = async () => JSON.stringify((await call(routes.request, { params: { id } })).body);
  const texts = async () => (await call(routes.summaries, { params: { id } })).summaries.length;
  expect(await shown()).toContain("WRONG");
  await call(routes.clearSummaries, { params: { id } });
  expect(await texts()).toBe(0);
  expect(await shown()).not.toContain("WRONG");
  words = "RIGHT";
  const before = asked;
  const { outcome } = await call(routes.compact, { params: { id }, body: {} });
  expect(outcome).toBe("compacted");
  expect(asked).toBeGreaterThan(before);
  expect(await shown()).toContain("RIGHT");
  expect(await shown()).not.toContain("WRONG");
});
