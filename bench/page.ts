/**
 * The page with a conversation of 20,000 messages, in a real browser: how long it takes to open, how it scrolls, how
 * typing feels while an answer is written, how long its timeline and `precis inspect` take, and what the first load weighs. `node bench/page.ts` (after `npm run build`).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServe } from "../test/gateway/serve-process.ts";
import { launchBrowser } from "../test/page/support/launch.ts";
import { startTrickleProvider } from "../test/support/trickle-provider.ts";
import { firstLoad, importConversation, open, openTimeline, scroll, typing } from "./page/measure.ts";
import { median, round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const MESSAGES = 20_000;
const OPENINGS = 5;
/** A fast model: a word every so many milliseconds. */
const WORD_MS = 15;

/** Milliseconds that `precis inspect` takes, from its start to its end. */
async function inspect(database: string, session: string): Promise<number> {
  const command = fileURLToPath(new URL("../packages/gateway/bin/precis.js", import.meta.url));
  const began = performance.now();
  const run = spawn(process.execPath, [command, "inspect", session, "--db", database], { stdio: "ignore" });
  const [code] = (await once(run, "exit")) as [number];
  if (code !== 0) throw new Error(`precis inspect ended with ${code}`);
  return performance.now() - began;
}

const folder = await mkdtemp(join(tmpdir(), "precis-bench-page-"));
const model = await startTrickleProvider({
  words: Array.from({ length: 1_500 }, (_, n) => (n % 12 === 11 ? `word${n}.\n\n` : `word${n}`)),
  everyMs: WORD_MS,
});
const flags = ["--upstream", model.url];
const db = join(folder, "page.db");
const browser = await launchBrowser();
try {
  let serve = await startServe(flags, { db });
  const id = await importConversation(serve.url, MESSAGES);
  // A server that was just started has counted nothing yet.
  await serve.stop();
  serve = await startServe(flags, { db });
  const url = `${serve.url}/c/${id}`;
  const cold = await open(browser, url, MESSAGES);
  const warm: number[] = [];
  for (let n = 0; n < OPENINGS; n++) warm.push(await open(browser, url, MESSAGES));
  // A server that was just started has counted nothing yet, for the timeline neither.
  await serve.stop();
  serve = await startServe(flags, { db });
  const timelineCold = await openTimeline(browser, `${serve.url}/c/${id}/timeline`);
  const timelineWarm: number[] = [];
  for (let n = 0; n < OPENINGS; n++)
    timelineWarm.push(await openTimeline(browser, `${serve.url}/c/${id}/timeline`));
  const inspected: number[] = [];
  for (let n = 0; n < OPENINGS; n++) inspected.push(await inspect(db, id));
  const scrolling = await scroll(browser, `${serve.url}/c/${id}`, MESSAGES);
  const typed = await typing(browser, serve.url);
  await serve.stop();
  writeResult({
    messages: MESSAGES,
    openMs: { cold: round(cold, 0), warm: round(median(warm), 0) },
    timelineMs: { cold: round(timelineCold, 0), warm: round(median(timelineWarm), 0) },
    inspectMs: round(median(inspected), 0),
    scroll: scrolling,
    typingWhileStreaming: { ...typed, wordEveryMs: WORD_MS },
    firstLoad: firstLoad(),
  });
} finally {
  await browser.close();
  await model.close();
  await rm(folder, { recursive: true, force: true });
}
