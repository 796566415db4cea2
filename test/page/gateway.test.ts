/** What an operator sees while programs talk through `/v1`. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "./support/actions.ts";
import { openPage } from "./support/browser.ts";
import { type ChatWorld, LONG, openChatWorld } from "./support/chat-world.ts";

interface Said {
  readonly role: string;
  readonly content: string;
}
let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

async function complete(messages: readonly Said[]): Promise<Said> {
  const response = await fetch(`${world.serve.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages }),
  });
  const { choices } = (await response.json()) as { choices: { message: Said }[] };
  return choices[0]!.message;
}

it("requests come in live, with what was done to them; a conversation can be opened, with divider and inspector", async () => {
  const { tab, context, faults } = await openPage(world.browser, `${world.serve.url}/gateway`);
  await tab.locator(".totals").waitFor();
  const messages: Said[] = [];
  for (let turn = 0; turn < 14; turn += 1) {
    messages.push({ role: "user", content: `Program turn ${turn}: ${LONG}` });
    messages.push(await complete(messages));
  }
  const rows = tab.locator(".requests tbody tr");
  await eventually(() => rows.count()).toBe(14);
  expect(await rows.allTextContents()).toContainEqual(expect.stringContaining("gpt-4o"));
  await eventually(async () => (await rows.allTextContents()).join("\n")).toMatch(/[\d,]+ → [\d,]+/);
  // What was passed on as it is has its size, too.
  const passed = rows.filter({ hasText: "forwarded" }).first().locator("td");
  expect(await passed.nth(5).textContent()).toMatch(/^[\d,]+$/);
  // All of it is one conversation, which grows while it is looked at.
  const whose = tab.getByRole("group", { name: "Whose conversations" });
  await whose.getByRole("button", { name: "Clients" }).click();
  const served = tab.locator(".sidebar .item a", { hasText: "Program turn 0" });
  await eventually(() => served.textContent()).toContain("28 messages");
  expect(await served.textContent()).toContain("node · gpt-4o");
  expect(await served.count()).toBe(1);
  const compactions = tab.locator(".totals div", { hasText: "Compactions" }).locator("dd");
  await eventually(async () => Number.parseInt((await compactions.textContent()) ?? "0", 10)).toBeGreaterThan(
    0,
  );
  await whose.getByRole("button", { name: "Chats" }).click();
  await served.waitFor({ state: "detached" });
  // Nothing of it is lost with a reload, after which a page without chats begins with those of clients, and it can be searched.
  await tab.reload();
  await eventually(() => rows.count()).toBe(14);
  await tab.getByLabel("What precis did").selectOption("compacted");
  await eventually(() => rows.count()).toBeLessThan(14);
  expect(await rows.first().textContent()).toContain("compacted");
  // Each leads to its own request: what was sent then, and not what would be sent now.
  await rows.first().getByRole("link").click();
  await tab.getByText("This is exactly what was sent: its SHA-256 matches.").waitFor();
  await tab.getByRole("link", { name: "Open in chat" }).waitFor();
  // And what its compaction came to so far.
  await tab.getByText(/^Tokens saved over \d+ requests?: [\d,]+, worth \$[\d.]+\./).waitFor();
  // Message by message, and not only as JSON.
  await tab
    .getByRole("button", { name: /^user .*Program turn/ })
    .first()
    .waitFor();
  // The list is as it was left, also after a reload.
  await tab.goBack();
  await eventually(() => tab.getByLabel("What precis did").inputValue()).toBe("compacted");
  await tab.reload();
  await eventually(() => tab.getByLabel("What precis did").inputValue()).toBe("compacted");
  await eventually(() => rows.count()).toBeGreaterThan(0);
  expect(await rows.count()).toBeLessThan(14);
  // Charts are of the same requests as the list, and say their figures.
  await tab.getByRole("button", { name: "Charts" }).click();
  await tab.getByRole("button", { name: "By model" }).click();
  await tab.locator(".sums td", { hasText: "gpt-4o" }).waitFor();
  expect(await tab.locator(".usage-charts figure").count()).toBe(6);
  const chart = (await tab.locator(".usage-charts .u-over").first().boundingBox())!;
  await tab.mouse.move(chart.x + chart.width - 6, chart.y + chart.height / 2);
  await eventually(() => tab.locator(".chart-tip").first().textContent()).toContain("gpt-4o: 14");
  await tab.getByRole("button", { name: "Requests", exact: true }).click();
  await tab.getByRole("searchbox", { name: "Search requests" }).fill("no such model");
  await tab.getByText("No request matches.").waitFor();
  await served.click();
  await tab.getByRole("link", { name: "Inspect" }).click();
  await tab.locator(".lot.insert").first().waitFor();
  await tab.getByRole("link", { name: "Chat", exact: true }).click();
  await tab.locator(".transcript").waitFor();
  await eventually(async () => {
    await tab.locator(".transcript").evaluate((list) => list.scrollBy(0, -600));
    return tab.locator(".divider").count();
  }).toBeGreaterThan(0);
  await tab.getByRole("link", { name: "Timeline" }).click();
  await tab.locator(".chart canvas").waitFor();
  const last = tab.locator(".events li.compacted").first();
  expect(await last.textContent()).toMatch(/Tokens saved over \d+ requests?: [\d,]+, worth \$/);
  await last.getByRole("link", { name: "Request" }).click();
  await tab.getByRole("heading", { name: "What was sent" }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it("an operator finds what failed and what was slow, in any range of time, and the address keeps it", async () => {
  const ask = (role: string, content: string) =>
    fetch(`${world.serve.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o", messages: [{ role, content }] }),
    }).then((response) => response.text());
  await ask("nobody", "hello");
  for (const words of [900, 30, 300]) await ask("user", "word ".repeat(words));
  const { tab, context, faults } = await openPage(world.browser, `${world.serve.url}/gateway?hours=all`);
  const total = (name: string) => tab.locator(".totals div", { hasText: name }).locator("dd").textContent();
  const rows = tab.locator(".requests tbody tr");
  await rows.first().waitFor();
  expect(await total("Error rate")).toMatch(/^[\d.]+ %1 failed$/);
  expect(await total("Latency, p95")).toMatch(/^[\d.]+ m?shalf within [\d.]+ m?s$/);
  // What was sent: the figure after the arrow, if there is one.
  const sizes = async () =>
    (await rows.locator("td:nth-child(6)").allTextContents()).map((text) =>
      Number(text.split("→").at(-1)!.replace(/[,–]/g, "")),
    );
  const byTokens = tab.getByRole("columnheader", { name: "Tokens" });
  await byTokens.getByRole("button").click();
  await eventually(() => byTokens.getAttribute("aria-sort")).toBe("descending");
  await eventually(async () => (await sizes())[0]).toBe(Math.max(...(await sizes())));
  const down = await sizes();
  expect(down).toEqual(down.toSorted((a, b) => b - a));
  await byTokens.getByRole("button").click();
  await eventually(sizes).toEqual(down.toReversed());
  await tab.reload();
  await eventually(() => byTokens.getAttribute("aria-sort")).toBe("ascending");
  await eventually(sizes).toEqual(down.toReversed());
  // A range of one's own begins as the one before it, and ends where it is told to.
  await tab.getByRole("button", { name: "Custom" }).click();
  await eventually(() => rows.count()).toBe(down.length);
  await tab.getByLabel("To", { exact: true }).fill("2020-01-01T00:00");
  await tab.getByText("isn't after since").first().waitFor();
  await tab.getByLabel("From", { exact: true }).fill("2019-12-31T00:00");
  await tab.getByText("No client requests in this period.").waitFor();
  await eventually(() => total("Error rate")).toBe("–none failed");
  await tab.getByRole("button", { name: "All", exact: true }).click();
  await eventually(() => rows.count()).toBe(down.length);
  // On a phone there are no columns to click at.
  await tab.setViewportSize({ width: 390, height: 800 });
  await tab.getByLabel("Sort by").selectOption("Slowest first");
  await eventually(() => new URL(tab.url()).searchParams.get("sort")).toBe("ms");
  await tab.getByRole("button", { name: "Charts" }).click();
  await tab.getByRole("img", { name: "Error rate" }).waitFor();
  await tab.getByRole("img", { name: "Latency, p95" }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it("a busy server's list and totals go on, keep what they show when a poll fails, and a tab of the list leaves the page's filters alone", async () => {
  const { tab, context, faults } = await openPage(
    world.browser,
    `${world.serve.url}/gateway?hours=all&model=gpt-4o`,
  );
  const refused = () =>
    fetch(`${world.serve.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "nobody", content: "hello" }] }),
    }).then((response) => response.text());
  const rows = tab.locator(".requests tbody tr");
  await refused();
  await rows.first().waitFor();
  const failed = async () =>
    Number.parseInt(
      (await tab.locator(".totals div", { hasText: "Error rate" }).locator("small").textContent()) ?? "",
      10,
    );
  const before = { rows: await rows.count(), failed: await failed() };
  // Each answer takes longer than the time between two requests that end.
  let isLost = false;
  await tab.route(/\/api\/(requests|totals)/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    await (isLost ? route.abort() : route.continue());
  });
  let isBusy = true;
  const traffic = (async () => {
    while (isBusy) {
      await refused();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  try {
    await eventually(() => rows.count()).toBeGreaterThan(before.rows);
    await eventually(failed).toBeGreaterThan(before.failed);
  } finally {
    isBusy = false;
    await traffic;
  }
  // A poll that fails says so beside what there was.
  isLost = true;
  await refused();
  await tab.getByRole("alert").first().waitFor();
  expect(await rows.count()).toBeGreaterThan(before.rows);
  expect(await failed()).toBeGreaterThan(before.failed);
  isLost = false;
  await refused();
  await eventually(() => tab.getByRole("alert").count()).toBe(0);
  await tab.getByRole("button", { name: "Page chats" }).click();
  await eventually(() => new URL(tab.url()).searchParams.get("from")).toBe("page");
  expect(new URL(tab.url()).searchParams.get("model")).toBe("gpt-4o");
  expect(faults).toEqual([]);
  await context.close();
});
