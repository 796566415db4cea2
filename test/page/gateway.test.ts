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
  await tab.getByText("This is exactly what was sent: its SHA-256 agrees.").waitFor();
  await tab.getByRole("link", { name: "Open it in its chat" }).waitFor();
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
  expect(await tab.locator(".usage-charts figure").count()).toBe(5);
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
