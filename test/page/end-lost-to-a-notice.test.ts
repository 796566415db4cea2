/** What a person asked for is in sight, whatever else the page has to say. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, say } from "./support/actions.ts";
import { openPage } from "./support/browser.ts";
import { type ChatWorld, LONG, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;
beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

it.each([1280, 390])(
  "an answer behind a compaction is in sight although notices take room, at %i px",
  async (width) => {
    const { tab, context } = await world.fullChat(9);
    await tab.setViewportSize({ width, height: 800 });
    world.summaries = "failing";
    await say(tab, `What about width ${width}? ${LONG}`);
    const answer = tab.locator(".message.assistant:not(.writing)", {
      hasText: `You said: What about width ${width}`,
    });
    await answer.waitFor({ state: "attached" });
    // One says that the summary failed, one what was done instead.
    await tab.locator(".notice.done").waitFor();
    await eventually(() => tab.locator(".notice").count()).toBeGreaterThan(1);
    const list = tab.locator(".transcript");
    await eventually(() =>
      list.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight),
    ).toBeLessThan(2);
    world.summaries = "good";
    await context.close();
  },
);

it("figures of many digits don't lie over the button beside them on a phone", async () => {
  const long = { role: "user", content: "The pump needs a new seal. ".repeat(100) };
  const text = JSON.stringify(
    Array.from({ length: 400 }, () => [long, { role: "assistant", content: "Yes." }]).flat(),
  );
  const imported = await fetch(`${world.serve.url}/api/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "long.json", text }),
  });
  const { conversations } = (await imported.json()) as { conversations: { id: string }[] };
  const url = `${world.serve.url}/c/${conversations[0]!.id}`;
  const { tab, context } = await openPage(world.browser, url, { width: 390 });
  const figures = tab.locator(".meter .wide", { hasText: /\d{3},\d{3} \/ [\d,]+ \([\d,]+ %\)/ });
  await figures.waitFor();
  const right = await figures.evaluate((element) => {
    const range = element.ownerDocument.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right;
  });
  const left = await tab.locator(".compact-now").evaluate((element) => element.getBoundingClientRect().left);
  expect(right).toBeLessThanOrEqual(left);
  await context.close();
});

it("a paragraph in Arabic or Hebrew begins at the right, one in Latin letters at the left", async () => {
  const said = "שלום, מה שלומך?\n\nIt is fine.";
  const text = JSON.stringify([
    { role: "user", content: "مرحبا بالعالم" },
    { role: "assistant", content: said },
  ]);
  const imported = await fetch(`${world.serve.url}/api/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "hebrew.json", text }),
  });
  const { conversations } = (await imported.json()) as { conversations: { id: string }[] };
  const { tab, context } = await openPage(world.browser, `${world.serve.url}/c/${conversations[0]!.id}`);
  /** Where the words stand within their paragraph: how far from its left and from its right (pixels). */
  const gaps = (words: string) =>
    tab
      .locator(".message p", { hasText: words })
      .first()
      .evaluate((element) => {
        const range = element.ownerDocument.createRange();
        range.selectNodeContents(element);
        const [inner, outer] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
        return { left: inner.left - outer.left, right: outer.right - inner.right };
      });
  const hebrew = await gaps("שלום");
  expect(hebrew.right).toBeLessThan(2);
  expect(hebrew.left).toBeGreaterThan(100);
  expect((await gaps("It is fine.")).left).toBeLessThan(2);
  await context.close();
});
