import { afterEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const WINDOW = 16_000;
/** US dollars per million tokens of gpt-4o: input, read from the cache, output. */
const PRICES = { input: 2.5, cached: 1.25, output: 10 };

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const isSummary = (lastUser: string) => /summar/i.test(lastUser);

async function numbers(): Promise<Map<string, number>> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

it("tells what was counted by others: requests, compactions, failures and dollars", async () => {
  let fails = 2;
  provider = await startFakeProvider({
    window: WINDOW,
    reply: ({ lastUser }) =>
      isSummary(lastUser)
        ? "## Summary\nThe user speaks of valves and wants to hear more about each. Nothing is open. ".repeat(
            3,
          )
        : `Understood. ${"word ".repeat(30)}`,
    faults: ({ lastUser }) => (isSummary(lastUser) && fails-- > 0 ? "unauthorized" : undefined),
  });
  gateway = await startGateway({ ...upstreamAt(provider.url), window: WINDOW });
  const messages = [{ role: "user", content: "Begin." }];
  const actions: string[] = [];
  for (let turn = 0; turn < 30; turn++) {
    const response = await post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages });
    actions.push(response.headers.get("x-precis-action")!);
    const { choices } = (await response.json()) as { choices: { message: (typeof messages)[0] }[] };
    messages.push(choices[0]!.message, {
      role: "user",
      content: `Turn ${turn}: valve V-${turn}00. ${"please say more about it. ".repeat(150)}`,
    });
    await gateway.gateway.compactors.settled();
  }
  await post(`${gateway.url}/v1/chat/completions`, "{");
  const found = await numbers();
  const sum = (name: string) =>
    [...found].filter(([key]) => key.startsWith(`${name}{`)).reduce((all, [, value]) => all + value, 0);
  for (const action of ["pass", "view", "compacted"])
    expect(found.get(`precis_requests_total{api="chat",status="2xx",action="${action}"}`)).toBe(
      actions.filter((one) => one === action).length,
    );
  expect(found.get('precis_requests_total{api="chat",status="4xx",action="untouched"}')).toBe(1);
  expect(found.get("precis_request_seconds_count")).toBe(31);
  expect(found.get('precis_request_seconds_bucket{le="+Inf"}')).toBe(31);
  expect(found.get("precis_active_requests")).toBe(0);
  expect(sum("precis_compactions_total")).toBe(actions.filter((one) => one === "compacted").length);
  expect([...found.keys()].filter((key) => key.startsWith("precis_rungs_total{"))).not.toEqual([]);
  expect(sum("precis_summary_failures_total")).toBeGreaterThan(0);
  const paid = provider.requests.filter(({ lastUser, status }) => isSummary(lastUser) && status === 200);
  expect(paid.length).toBeGreaterThan(0);
  const dollars = paid.reduce((all, { tokens: { input, cacheRead }, outputTokens }) => {
    const { input: price, cached, output } = PRICES;
    return all + ((input - cacheRead) * price + cacheRead * cached + outputTokens * output) / 1e6;
  }, 0);
  expect(found.get("precis_summary_dollars_total")).toBeCloseTo(dollars, 6);
});
