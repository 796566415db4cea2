/** A client that changes its system prompt with every request is told of it: nothing saves as much as mending that. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type RequestRecord, routes, urlOf } from "../../src/gateway/api.ts";
import { openStore } from "../../src/stores/server.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { runCli } from "../cli/run-cli.ts";
import { startGateway } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const RULES = "Answer in one sentence. Never guess. ".repeat(40);

async function start(config: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), "precis-advice-"));
  const db = join(folder, "precis.db");
  const clock = createFakeClock(Date.now());
  const provider = await startFakeProvider({ window: 200_000, now: clock.now });
  const gateway = await startGateway(
    { upstreams: [{ name: "fake", baseURL: provider.url }], summarizer: "extractive", ...config },
    { store: openStore(db), now: clock.now },
  );
  onTestFinished(async () => {
    await gateway.close();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });
  /** The advice at each request of a conversation. */
  const advice = async (): Promise<(readonly string[])[]> => {
    await gateway.gateway.requests.flush();
    const rows = await gateway.gateway.store.requests.list("default", {});
    const records = rows.toReversed().map(async ({ id }) => {
      const response = await fetch(gateway.url + urlOf(routes.requestRecord, { id }));
      return ((await response.json()) as RequestRecord).advice;
    });
    return Promise.all(records);
  };
  return { gateway, advice, db, clock };
}

it.each([
  ["/v1/chat/completions", "messages"],
  ["/v1/messages", "apart"],
])(
  "%s: a date is named from its second change on, at the request and in precis inspect",
  async (path, where) => {
    const { gateway, advice, db, clock } = await start();
    const messages: { role: string; content: string }[] = [];
    const ask = async (system: string) => {
      messages.push({ role: "user", content: `Question ${messages.length}?` });
      const body =
        where === "apart"
          ? { model: "claude-sonnet-4-5", max_tokens: 500, system, messages }
          : { model: "gpt-4o", messages: [{ role: "system", content: system }, ...messages] };
      const answer = (await (await post(gateway.url + path, body)).json()) as {
        choices?: { message: { content: string } }[];
        content?: { text: string }[];
      };
      const content = answer.choices?.[0]?.message.content ?? answer.content![0]!.text;
      messages.push({ role: "assistant", content });
      clock.advance(60_000);
    };
    for (let n = 0; n < 4; n++) await ask(`You help.\nToday is day ${n} of the week.\n${RULES}`);
    const told = await advice();
    expect(told.slice(0, 2)).toEqual([[], []]);
    expect(told[2]).toEqual([expect.stringContaining("changed in 2 of 3 requests")]);
    expect(told[3]![0]).toMatch(
      /differs at “You help\. Today is day 3 of the week\. Answer .*…”, which was “You help\. Today is day 2 of/,
    );
    const session = (await gateway.gateway.store.conversations.list("default")).conversations[0]!.id;
    const shown = await runCli(["inspect", session, "--db", db]);
    expect(shown.stdout.replace(/\s+/g, " ")).toContain("changed in 3 of 4 requests");
    // As soon as it stands, nothing is said.
    await ask(`You help.\nToday is day 3 of the week.\n${RULES}`);
    expect((await advice()).at(-1)).toEqual([]);
  },
);

it("a prompt that stands isn't told of, and no secret of a changing one is shown", async () => {
  const { gateway, advice } = await start({ redact: true });
  for (let n = 0; n < 3; n++) {
    const messages = [{ role: "system", content: RULES }];
    for (let m = 0; m <= n; m++)
      messages.push({ role: "user", content: `q${m}` }, { role: "assistant", content: "a" });
    messages.pop();
    expect((await post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages })).status).toBe(
      200,
    );
  }
  expect((await advice()).flat()).toEqual([]);
  for (let n = 0; n < 4; n++) {
    const key = `sk-proj-${String(n).repeat(40)}`;
    const messages = [{ role: "system", content: `The key is ${key}. It is day ${n}. ${RULES}` }];
    for (let m = 0; m <= n; m++)
      messages.push({ role: "user", content: `x${m}` }, { role: "assistant", content: "b" });
    messages.pop();
    expect((await post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages })).status).toBe(
      200,
    );
  }
  const told = (await advice()).flat();
  expect(told.length).toBeGreaterThan(0);
  expect(told.join()).not.toContain("sk-proj-");
});
