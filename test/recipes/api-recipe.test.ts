/**
 * The recipe "Adding an API" of CONTRIBUTING.md, carried out on a copy: one folder and a line in each of five files, and the gateway
 * compacts requests of the new API, passes its streams on and stores its answers; config and command line know its name.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const copy = mkdtempSync(join(tmpdir(), "precis-api-"));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Is it a folder, or a source that the program may need? */
const isRun = (path: string): boolean => {
  const name = basename(path);
  return !name.includes(".") || (name.endsWith(".ts") && !name.endsWith(".test.ts"));
};

/** Adds lines behind one that is there. */
function add(file: string, ...lines: readonly (readonly [behind: string, line: string])[]): void {
  const path = join(copy, file);
  let text = readFileSync(path, "utf8");
  for (const [behind, line] of lines) {
    expect(text, `${file} has no ${behind}`).toContain(behind);
    text = text.replace(behind, () => behind + line);
  }
  writeFileSync(path, text);
}

const PROGRAM = `
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { createGateway } from "./src/gateway/index.ts";
import { encode } from "./src/apis/transcode.ts";
import { toy } from "./src/apis/index.ts";
import { COMMANDS } from "./src/cli/commands.ts";

const STREAM = ["toy ", "says ", "hi"].map((piece) => "data: " + JSON.stringify({ piece }) + "\\n\\n").join("") +
  'data: {"id":"a1","why":"done","spent":[9,3]}\\n\\n';
const sent = [];
const provider = createServer(async (request, response) => {
  const body = JSON.parse((await text(request)) || "{}");
  if (request.url === "/v1/toy") sent.push(body);
  response.setHeader("content-type", body.stream ? "text/event-stream" : "application/json");
  response.end(body.stream ? STREAM : JSON.stringify({ id: "a1", reply: "toy says hi", why: "done", spent: [9, 3] }));
});
await new Promise((resolve) => provider.listen(0, "127.0.0.1", resolve));
const gateway = await createGateway({
  db: "memory",
  log: "silent",
  window: 4000,
  summarizer: "extractive",
  upstreams: [{ name: "toys", baseURL: "http://127.0.0.1:" + provider.address().port, dialects: ["toy"] }],
});
const server = createServer(gateway.handler);
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const base = "http://127.0.0.1:" + server.address().port;
const ask = (body) => fetch(base + "/v1/toy", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

const given = { model: "toy-1", talk: [{ who: "me", words: "Hello" }], extra: { kept: true } };
const whole = { answer: (await (await ask(given)).json()).reply, sent: sent.at(-1), given };
const goOn = { model: "toy-1", stream: true, talk: [...given.talk, { who: "you", words: "toy says hi" }, { who: "me", words: "Go on" }] };
const streamed = await (await ask(goOn)).text();
const { conversations } = await (await fetch(base + "/api/conversations")).json();
const { messages } = await (await fetch(base + "/api/conversations/" + conversations[0].id + "/messages")).json();
const talk = [{ who: "rules", words: "Be brief." }];
for (let n = 0; n < 80; n++)
  talk.push({ who: "me", words: "Question " + n + ": " + "what about the garden? ".repeat(20) }, { who: "you", words: "Answer " + n + ": " + "water it twice. ".repeat(20) });
talk.push({ who: "me", words: "What now?" });
const long = await (await ask({ model: "toy-1", talk })).json();
const view = sent.at(-1).talk;
const wrong = await ask({ model: "toy-1" });
console.log(JSON.stringify({
  given,
  whole: { answer: whole.answer, sent: whole.sent },
  streamed,
  sentStream: STREAM,
  stored: messages.map((message) => message.parts.map((part) => part.text).join("")),
  compacted: { isSmaller: view.length < talk.length / 2, last: view.at(-1).words, answer: long.reply },
  flag: COMMANDS.compact.flags.dialect.read("dialect", "toy"),
  refused: { status: wrong.status, body: await wrong.json() },
  encoded: encode(toy.id, [
    { role: "user", parts: [{ type: "text", text: "Hello" }] },
    { role: "assistant", parts: [{ type: "text", text: "Hi" }] },
  ]).messages,
}));
server.close();
server.closeAllConnections();
await gateway.close();
provider.close();
provider.closeAllConnections();
`;

let told: Record<string, unknown> = {};

beforeAll(async () => {
  // Only what is run: a file that somebody is still writing beside them may be gone by then.
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true, filter: isRun });
  cpSync(join(root, "package.json"), join(copy, "package.json"));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

  // The folder.
  mkdirSync(join(copy, "src/apis/toy"));
  for (const file of ["index.ts", "api.ts", "server.ts"]) {
    const text = readFileSync(join(import.meta.dirname, "toy", file), "utf8");
    const there = text.replaceAll('"../../../src/apis/', '"../').replaceAll('"../../../src/', '"../../');
    writeFileSync(join(copy, "src/apis/toy", file), there);
  }
  // What people import.
  add("src/apis/index.ts", [
    'export { openaiResponses, type ResponsesItem, type ResponsesPart } from "./responses/index.ts";\n',
    'export { toy } from "./toy/index.ts";\n',
  ]);
  // Found by its id.
  add(
    "src/apis/dialect-by-id.ts",
    ['import { openaiChat } from "./chat/index.ts";\n', 'import { toy } from "./toy/index.ts";\n'],
    ["  [openaiChat.id]: openaiChat,\n", "  [toy.id]: toy as Dialect<unknown>,\n"],
  );
  // Named by config and command line.
  add("src/core/options.ts", ['  "gemini-contents",\n', '  "toy",\n']);
  // Messages of other formats in this one.
  add(
    "src/apis/transcode.ts",
    [
      'import { encode as encodeOpenaiChat } from "./chat/encode.ts";\n',
      'import { encodeToy } from "./toy/index.ts";\n',
    ],
    ['  "openai-chat": encodeOpenaiChat,\n', "  toy: encodeToy,\n"],
  );
  // Served by the gateway.
  add(
    "src/apis/served.ts",
    ['import type { ServedApi } from "./shared/api.ts";\n', 'import { toyServed } from "./toy/server.ts";\n'],
    ["  geminiServed,\n", "  toyServed,\n"],
  );

  writeFileSync(join(copy, "program.ts"), PROGRAM);
  const child = spawn(process.execPath, ["program.ts"], { cwd: copy });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (piece: Buffer) => (stdout += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  expect(stderr).toBe("");
  told = JSON.parse(stdout);
});

test("a request that fits goes as it came", () => {
  expect(told["whole"]).toEqual({ answer: "toy says hi", sent: told["given"] });
});

test("one that doesn't fit is compacted, and its newest words are sent", () => {
  expect(told["compacted"]).toMatchObject({ isSmaller: true, last: "What now?", answer: "toy says hi" });
});

test("command line and config take its name", () => {
  expect(told["flag"]).toBe("toy");
});

test("a stream passes as it comes", () => {
  expect(told["streamed"]).toBe(told["sentStream"]);
});

test("answers are stored, one way or the other", () => {
  expect(told["stored"]).toEqual(["Hello", "toy says hi", "Go on", "toy says hi"]);
});

test("errors are told in its words", () => {
  expect(told["refused"]).toEqual({ status: 400, body: { wrong: "`talk` is missing or isn't a list." } });
});

test("messages of other formats can be written in it", () => {
  expect(told["encoded"]).toEqual([
    { who: "me", words: "Hello" },
    { who: "you", words: "Hi" },
  ]);
});
