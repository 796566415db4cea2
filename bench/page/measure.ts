import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { round } from "../support/statistics.ts";

const SCROLL_MS = 4_000;
const ASK_EVERY_MS = 100;
/** Pixels per step of the wheel, 60 times a second: fast, but as people do it. */
const WHEEL = 240;
const TYPED = "The quick brown fox jumps over the lazy dog while the answer is still being written. ";

async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" });
  return context.newPage();
}

/** Milliseconds from the start of the navigation to the newest message on screen. */
export function open(browser: Browser, url: string, messages: number): Promise<number> {
  return shownAfter(browser, url, `document.body?.textContent.includes("Message number ${messages - 1}.")`);
}

/** Milliseconds from the start of the navigation to the timeline's chart on screen. */
export function openTimeline(browser: Browser, url: string): Promise<number> {
  return shownAfter(browser, url, 'document.querySelector(".timeline .chart canvas") !== null');
}

/** The page looks for it at every frame, so that the time doesn't depend on how often it is asked. */
async function shownAfter(browser: Browser, url: string, isShown: string): Promise<number> {
  const tab = await newPage(browser);
  await tab.addInitScript(`
    const look = () => {
      if (${isShown}) window.shownAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  `);
  await tab.goto(url);
  // Asked from here: the page's policy allows no evaluation inside of it.
  let shownAt = Number.NaN;
  while (Number.isNaN(shownAt)) {
    await tab.waitForTimeout(ASK_EVERY_MS);
    shownAt = Number(await tab.evaluate("window.shownAt"));
  }
  await tab.context().close();
  return shownAt;
}

export interface Scrolling {
  /** Milliseconds between two frames. */
  readonly frameMs: { readonly p50: number; readonly p95: number; readonly max: number };
  /** Share of frames in which something on screen hadn't been read yet. */
  readonly framesWithHoles: number;
  readonly pixels: number;
}

/** Scrolls up from the end, and looks at every frame. */
export async function scroll(browser: Browser, url: string, messages: number): Promise<Scrolling> {
  const tab = await newPage(browser);
  await tab.goto(url);
  await tab.getByText(`Message number ${messages - 1}.`).waitFor();
  await tab.waitForTimeout(2_000);
  const { frames, holes, pixels } = (await tab.evaluate(`new Promise((resolve) => {
    const list = document.querySelector(".transcript");
    const began = performance.now();
    const start = list.scrollTop;
    const frames = [];
    let holes = 0;
    let last = began;
    const step = (now) => {
      frames.push(now - last);
      last = now;
      if (document.querySelector(".message-hole") !== null) holes += 1;
      list.scrollTop -= ${WHEEL};
      if (now - began < ${SCROLL_MS}) requestAnimationFrame(step);
      else resolve({ frames: frames.slice(1), holes, pixels: start - list.scrollTop });
    };
    requestAnimationFrame(step);
  })`)) as { frames: number[]; holes: number; pixels: number };
  await tab.context().close();
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share: number) => round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0, 1);
  return {
    frameMs: { p50: at(0.5), p95: at(0.95), max: at(1) },
    framesWithHoles: round(holes / Math.max(1, frames.length), 3),
    pixels: Math.round(pixels),
  };
}

export interface Typing {
  readonly keys: number;
  /** Milliseconds from a key to the next frame that shows it. */
  readonly keyMs: { readonly p50: number; readonly p95: number; readonly max: number };
  /** Words of the answer that came meanwhile. */
  readonly words: number;
}

/** Types while an answer comes in. */
export async function typing(browser: Browser, url: string): Promise<Typing> {
  const tab = await newPage(browser);
  await tab.goto(url);
  const box = tab.getByRole("textbox", { name: "Message" });
  await box.fill("Write a lot.");
  await box.press("Enter");
  await tab.locator(".writing").getByText("word5").first().waitFor();
  await tab.evaluate(`
    window.keys = [];
    document.querySelector(".composer textarea").addEventListener("input", (event) => {
      requestAnimationFrame(() => setTimeout(() => window.keys.push(performance.now() - event.timeStamp)));
    });
  `);
  const wordsOf = async () =>
    ((await tab.locator(".writing").textContent()) ?? "").match(/word\d+/g)?.length ?? 0;
  const before = await wordsOf();
  await box.focus();
  await tab.keyboard.type(TYPED, { delay: 40 });
  const words = (await wordsOf()) - before;
  const keys = ((await tab.evaluate("window.keys")) as number[]).toSorted((a, b) => a - b);
  await tab.context().close();
  const at = (share: number) => round(keys[Math.floor(share * (keys.length - 1))] ?? 0, 1);
  return { keys: keys.length, keyMs: { p50: at(0.5), p95: at(0.95), max: at(1) }, words };
}

const WORDS =
  "a pump that hums at night keeps the river garden dry while the old valve drips into its bucket and the key of the shed hangs behind the door".split(
    " ",
  );

/** A long talk with messages of 20 to 140 words, always the same. */
export async function importConversation(url: string, messages: number): Promise<string> {
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const words = (count: number): string =>
    Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(" ");
  const lines = Array.from({ length: messages }, (_, n) =>
    JSON.stringify({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `Message number ${n}. ${words(20 + random(120))}`,
    }),
  );
  const response = await fetch(`${url}/api/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "long.jsonl", text: lines.join("\n") }),
  });
  const { conversations } = (await response.json()) as { conversations: { id: string }[] };
  return conversations[0]!.id;
}

const WEB = new URL("../../dist/web/", import.meta.url);

/** Bytes of the first load, compressed: script and styles that the document names. */
export function firstLoad(): { readonly scriptGzip: number; readonly styleGzip: number } {
  const html = readFileSync(new URL("index.html", WEB), "utf8");
  const size = (extension: string): number =>
    [...html.matchAll(new RegExp(`(?:src|href)="(/[^"]+\\.${extension})"`, "g"))].reduce(
      (sum, [, path]) => sum + gzipSync(readFileSync(new URL(`.${path}`, WEB))).length,
      0,
    );
  return { scriptGzip: size("js"), styleGzip: size("css") };
}
