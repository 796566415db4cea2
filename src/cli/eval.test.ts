import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { evalCommand, evalLine } from "./eval.ts";
import { parseFlags } from "./parse-flags.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-eval-cli-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const messages = Array.from({ length: 40 }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: `Note ${i}: the colour of house number ${i * 7} is ${["red", "green", "blue"][i % 3]}.`,
}));
const probes = [{ q: "Colour of 0?", a: "red", type: "information_extraction", evidence: [0] }];
writeFileSync(join(dir, "tiny.jsonl"), JSON.stringify({ id: "t", dataset: "tiny", messages, probes }));

async function run(...args: string[]): Promise<string> {
  let out = "";
  await evalCommand(parseFlags(evalLine, args), {
    stdin: Readable.from([]),
    stdout: { write: (text) => (out += text) },
    stderr: { write: () => {} },
    env: {},
    signal: new AbortController().signal,
  });
  return out;
}

test("a table for people, JSON for programs, a page for both", async () => {
  expect(await run("retention", "--data", dir, "--counter", "chars")).toMatch(/precis, no model +5 %/);
  const html = join(dir, "out.html");
  const json: unknown = JSON.parse(
    await run("retention", "--data", dir, "--json", "--html", html, "--budgets", "50"),
  );
  expect(json).toMatchObject({ counter: "o200k_base", sampled: false, sets: [{ type: "probes", cases: 1 }] });
  expect(readFileSync(html, "utf8")).toContain("<svg");
});

test.each([
  [["speed"], /precis eval retention/],
  [["retention", "--data", dir, "--budgets", "5,x"], /not a percentage/],
  [["retention", "--data", dir, "--sets", "nothing"], /no set has this/],
  [["retention", "--data", join(dir, "nowhere")], /there is no folder/],
  [["retention", "--data", dir, "--counter", "words"], /one of o200k, chars/],
])("%j is refused with what to do", async (args, message) => {
  await expect(run(...args)).rejects.toThrow(message);
});
