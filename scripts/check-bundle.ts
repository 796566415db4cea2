/**
 * Bundles the engine for browsers, checks that nothing of Node is left in it and what a page has to load before the first
 * tokens are counted, and runs it in a real one.
 */

import { createServer } from "node:http";
import { builtinModules } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { rolldown } from "rolldown";
import { browserOptions, hasBrowser, NO_BROWSER } from "./lib/browser.ts";
import { library } from "./lib/packages.ts";
import { root } from "./lib/project.ts";

const BYTES_PER_KB = 1_000;
/** Most that a page loads before it needs a tokenizer (bytes, gzipped). */
const MAX_FIRST_LOAD = 156_000;
/** Files of the bundle that hold a vocabulary. */
const VOCABULARY = /_base\.js$/;
const PAGE_TIMEOUT_MS = 30_000;
const ENTRY = "\0page-entry";

/** What a page does: a long conversation, a small budget. Its numbers are checked below. */
const BUDGET = 2_000;
/** A page that isn't done by then hangs (milliseconds). */
const PAGE_MS = 600_000;
const ROUNDS = 60;
const PAGE = `
import { createCompactor, profiles } from "precis";
import { openaiChat } from "precis/dialects";

${gardenTalk}
const short = createCompactor({ dialect: openaiChat, window: 128_000 });
const greeting = (await short.fit([{ role: "user", content: "Hello!" }])).report;
const filesOfGreeting = performance.getEntriesByType("resource").map(({ name }) => name);

const transcript = gardenTalk(${ROUNDS});
const before = JSON.stringify(transcript);
const compactor = createCompactor({ dialect: openaiChat, budget: ${BUDGET}, profile: profiles.agent });
const { messages, report, state } = await compactor.fit(transcript);
await compactor.close();
globalThis.result = {
  greeting: { outcome: greeting.outcome, atMost: greeting.tokens.atMost, files: filesOfGreeting },
  outcome: report.outcome,
  tokens: report.tokens,
  budget: report.budget.budget,
  messages: messages.length,
  headKept: messages[0] === transcript[0],
  lastKept: messages.at(-1) === transcript.at(-1),
  untouched: JSON.stringify(transcript) === before,
  name: state.last.hash,
};
`;

/** What the page talks about; its source is part of the page. */
function gardenTalk(rounds: number) {
  const talk = [{ role: "system", content: "You help with gardens." }];
  for (let i = 0; i < rounds; i += 1) {
    const asked = `Question ${i}: how do I water tomatoes in week ${i}? ${"Please be exact. ".repeat(20)}`;
    const said = `Answer ${i}: with ${i + 2} litres. ${"Keep the soil moist – überall. ".repeat(20)}`;
    talk.push({ role: "user", content: asked }, { role: "assistant", content: said });
  }
  talk.push({ role: "user", content: "And how much water next week?" });
  return talk;
}

/** What Node calls that conversation. */
async function nameInNode() {
  // Not written as literals: types are checked before anything is built.
  const [{ chainOf }, { contentHash }, { openaiChat }] = await Promise.all(
    ["core/chain.js", "core/hash.js", "apis/index.js"].map((file) => import(`../dist/${file}`)),
  );
  return chainOf(gardenTalk(ROUNDS).map(openaiChat.read), 1, contentHash).at(-1);
}

const faults: string[] = [];
/** Files that a page loads at once: the entry, and what it imports before it runs. */
const first: Set<string> = new Set();
const files = await bundle().catch((error) => {
  faults.push(stripVTControlCharacters(String(error.message)));
  return new Map();
});
let firstLoad = 0;
for (const [name, text] of files) {
  const gzipped = gzipSync(text).length;
  if (first.has(name)) firstLoad += gzipped;
  console.log(`bundle: ${name} ${kb(Buffer.byteLength(text))}, ${kb(gzipped)} gzip`);
}
if (firstLoad > MAX_FIRST_LOAD) {
  faults.push(
    `a page loads ${kb(firstLoad)} (gzip) before it needs a tokenizer, ${kb(MAX_FIRST_LOAD)} at most`,
  );
}
if (!hasBrowser) console.log(`bundle: not run in a browser, ${NO_BROWSER}`);
else if (faults.length === 0) checkResult(await runInBrowser(), await nameInNode());
for (const fault of faults) console.error(`bundle: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Returns file name → code. */
async function bundle(): Promise<Map<string, string>> {
  const build = await rolldown({
    input: { page: ENTRY },
    platform: "browser",
    cwd: root,
    treeshake: true,
    plugins: [
      {
        name: "page",
        resolveId(id) {
          if (id === ENTRY) return ENTRY;
          const target = library.exports[id.replace(/^precis(?=\/|$)/, ".")];
          return target === undefined ? undefined : join(root, library.folder, target);
        },
        load: (id) => (id === ENTRY ? PAGE : undefined),
      },
    ],
    onLog(_level, log) {
      faults.push(`${log.code ?? "log"}: ${log.message}`);
    },
  });
  const { output } = await build.generate({
    format: "esm",
    minify: true,
    chunkFileNames: "[name].js",
    entryFileNames: "[name].js",
  });
  await build.close();
  const chunks = output.filter((item) => item.type === "chunk");
  const names = new Set(chunks.map((chunk) => chunk.fileName));
  for (const chunk of chunks) {
    for (const id of [...chunk.imports, ...chunk.dynamicImports]) {
      if (names.has(id)) continue;
      const builtin = id.startsWith("node:") || builtinModules.includes(id);
      faults.push(`${chunk.fileName} still imports "${id}"${builtin ? ", which only Node has" : ""}`);
    }
  }
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports]));
  const waiting = chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (first.has(name)) continue;
    first.add(name);
    waiting.push(...(imports.get(name) ?? []));
  }
  return new Map(chunks.map((chunk) => [chunk.fileName, chunk.code]));
}

/** Returns what the page computed. */
async function runInBrowser(): Promise<PageResult | undefined> {
  const server = createServer((request, response) => {
    const name = (request.url ?? "/").slice(1);
    const code = files.get(name);
    if (name !== "" && code === undefined) response.writeHead(404).end();
    else if (code !== undefined)
      response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" }).end(code);
    else {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(
        '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
      );
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = server.address() as AddressInfo;
  const browser = await chromium.launch(await browserOptions());
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(PAGE_MS);
    page.on("pageerror", (error) => faults.push(`the page threw: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(`the page logged an error: ${message.text()}`);
    });
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction("globalThis.result !== undefined", undefined, { timeout: PAGE_TIMEOUT_MS });
    return await page.evaluate<PageResult>("globalThis.result");
  } catch (error) {
    faults.push(`the page gave no result: ${(error as Error).message}`);
    return undefined;
  } finally {
    await browser.close();
    server.close();
  }
}

/** What the page has computed. */
interface PageResult {
  readonly greeting: {
    readonly outcome: string;
    readonly atMost?: boolean;
    readonly files: readonly string[];
  };
  readonly outcome: string;
  readonly tokens: { readonly transcript: number; readonly after: number };
  readonly messages: number;
  readonly headKept: boolean;
  readonly lastKept: boolean;
  readonly untouched: boolean;
  readonly name: string;
}

function checkResult(result: PageResult | undefined, name: string | undefined) {
  if (faults.length > 0 || !result) return;
  console.log(`bundle: in the browser ${JSON.stringify(result)}`);
  const expected: [string, boolean][] = [
    ["a greeting passes", result.greeting.outcome === "pass" && result.greeting.atMost === true],
    ["a greeting loads no vocabulary", !result.greeting.files.some((file) => VOCABULARY.test(file))],
    ["the transcript is larger than the budget", result.tokens.transcript > BUDGET],
    ["the view fits the budget", result.tokens.after <= BUDGET],
    ["the outcome is `compacted`", result.outcome === "compacted"],
    ["fewer messages are sent", result.messages < 2 * ROUNDS],
    ["the system prompt is the same object", result.headKept],
    ["the last user message is the same object", result.lastKept],
    ["the transcript is untouched", result.untouched],
    ["the conversation has the name that it has in Node", result.name === name],
  ];
  for (const [what, ok] of expected) if (!ok) faults.push(`not true in the browser: ${what}`);
}

function kb(bytes: number) {
  return `${(bytes / BYTES_PER_KB).toFixed(1)} kB`;
}
