/**
 * Takes all pictures of README and docs from the product as it is: `npm run build && npx node scripts/make-screenshots.ts`.
 * Look at each of them before you commit it. Names of pictures given as arguments: only those.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { startFakeProvider } from "../src/testing/fake-provider/index.ts";
import { serveHere } from "../test/gateway/serve-here.ts";
import { browserOptions } from "./lib/browser.ts";
import { palettePng } from "./lib/palette-png.ts";

const FOLDER = fileURLToPath(new URL("../docs/images/", import.meta.url));
const DESKTOP = { width: 1280, height: 800 };
/** Cards of strategies are higher than a screen. */
const TALL = { width: 1280, height: 1040 };
/** Sums and the first requests. */
const LIST = { width: 1280, height: 1040 };
const PHONE = { width: 390, height: 844 };
/** Charts and lists draw a moment after their data is there, and whatever moves comes to rest (milliseconds). */
const SETTLE_MS = 1_000;
/** A picture above this is too much for a README (bytes). */
const MOST_BYTES = 150_000;

const wanted = new Set(process.argv.slice(2));
const browser = await chromium.launch(await browserOptions());
try {
  await withoutModel(browser);
  await behindClients(browser);
} finally {
  await browser.close();
}

/** The first ten minutes: no model, the built-in example, and a model in the end. */
async function withoutModel(shots: Browser): Promise<void> {
  const serve = await serveHere([]);
  const provider = await startFakeProvider({ models: ["gpt-4o", "gpt-4o-mini", "o4-mini"] });
  try {
    const tab = await open(shots, serve.url, DESKTOP, "light");
    await take(tab, "first-run-1");
    const chat = await openExample(tab);
    await take(tab, "first-run-2");
    await readSummary(tab);
    await take(tab, "compaction");
    await tab.goto(`${chat}/inspect`);
    await tab.locator(".lot").first().waitFor();
    await take(tab, "inspect");
    await tab.goto(`${chat}/timeline`);
    await tab.getByText("Replay", { exact: true }).click();
    await tab.getByText("After message").first().waitFor();
    await take(tab, "timeline");
    await tab.goto(`${serve.url}/compare/${chat.split("/").at(-1)}`);
    await tab.getByRole("button", { name: "Replay", exact: true }).click();
    await tab.getByText("best trade").waitFor();
    await tab.setViewportSize(TALL);
    await take(tab, "first-run-5");
    await tab.setViewportSize(DESKTOP);
    await tab.goto(`${serve.url}/settings`);
    const models = tab.locator("section.models");
    await models.getByLabel("Address").fill(`${provider.url.replace("127.0.0.1", "localhost")}/v1`);
    await models.getByLabel("Key", { exact: true }).fill("not-a-real-key");
    await models.getByRole("button", { name: "Test", exact: true }).click();
    await models.getByText("It lists").waitFor();
    await take(tab, "first-run-6");

    const phone = await open(shots, serve.url, PHONE, "dark");
    // The last message that the summary covers: the divider stands behind it.
    await phone.goto(`${chat}#message-274`);
    await openDivider(phone);
    await take(phone, "phone");
  } finally {
    await serve.stop();
    await provider.close();
  }
}

/** What an operator sees: clients' requests, one of which was compacted. */
async function behindClients(shots: Browser): Promise<void> {
  const provider = await startFakeProvider({ models: ["gpt-4o", "gpt-4o-mini"] });
  const serve = await serveHere(["--upstream", provider.url, "--window", "16k"]);
  try {
    const chapter = "The lock keeper writes down who passed, at what hour, and how high the water stood. ";
    const talk: object[] = [];
    for (let turn = 1; turn <= 12; turn++) {
      talk.push({ role: "user", content: `Chapter ${turn}: ${chapter.repeat(100)}` });
      talk.push({ role: "assistant", content: await ask(serve.url, "gpt-4o", talk) });
    }
    for (const question of ["What is due this week?", "Draft a note to the lock keeper."])
      await ask(serve.url, "gpt-4o-mini", [{ role: "user", content: question }]);
    const tab = await open(shots, `${serve.url}/gateway`, DESKTOP, "light");
    await tab.locator(".requests tbody tr").first().waitFor();
    await tab.setViewportSize(LIST);
    await take(tab, "gateway");
  } finally {
    await serve.stop();
    await provider.close();
  }
}

async function ask(url: string, model: string, messages: readonly object[]): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content;
}

async function open(
  shots: Browser,
  url: string,
  viewport: { readonly width: number; readonly height: number },
  colorScheme: "light" | "dark",
): Promise<Page> {
  const context = await shots.newContext({ viewport, colorScheme, locale: "en-US" });
  const tab = await context.newPage();
  await tab.goto(url);
  return tab;
}

/** The coding session, compacted. Resolves with its address. */
async function openExample(tab: Page): Promise<string> {
  await tab.getByRole("button", { name: /^Coding session/ }).click();
  await tab.locator(".notice.done").waitFor();
  return tab.url();
}

async function readSummary(tab: Page): Promise<void> {
  await tab.locator(".notice.done").getByRole("button", { name: "Show", exact: true }).click();
  await openDivider(tab);
}

/** The summary, from its top on. */
async function openDivider(tab: Page): Promise<void> {
  await tab.locator(".divider-head").click();
  await tab.locator(".summary-read").waitFor();
  await tab.locator(".divider").evaluate((element) => element.scrollIntoView());
}

/** Writes a picture of what is on screen. */
async function take(tab: Page, name: string): Promise<void> {
  if (wanted.size > 0 && !wanted.has(name)) return;
  // Nothing is pointed at, and no cursor blinks.
  await tab.mouse.move(0, 0);
  await tab.waitForTimeout(SETTLE_MS);
  const png = await tab.screenshot({ caret: "hide", animations: "disabled" });
  const { width, height } = tab.viewportSize()!;
  const small = palettePng(await pixelsOf(tab, png), width, height);
  writeFileSync(`${FOLDER}${name}.png`, small);
  console.log(`${name}.png: ${Math.round(small.length / 1_000)} KB`);
  if (small.length > MOST_BYTES) throw new Error(`${name}.png is larger than ${MOST_BYTES} bytes.`);
}

/** The browser reads its own picture: four bytes for each pixel. */
async function pixelsOf(tab: Page, png: Buffer): Promise<Uint8Array> {
  const reader = await tab.context().newPage();
  try {
    // As text: scripts are typed without a document.
    const read = `(async () => {
      const image = await createImageBitmap(await (await fetch("data:image/png;base64,${png.toString("base64")}")).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      let text = "";
      for (let at = 0; at < data.length; at += 32768) text += String.fromCharCode(...data.subarray(at, at + 32768));
      return btoa(text);
    })()`;
    return Buffer.from((await reader.evaluate(read)) as string, "base64");
  } finally {
    await reader.close();
  }
}
