/**
 * How fast tokens are counted: cold, warm and memoised, and on input that is made to be slow.
 * Plain gpt-tokenizer stands beside it, at sizes where it comes to an end.
 *
 *   node bench/tokens.ts [--json]
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Message } from "../src/core/types.ts";
import { createMeasure, exactCounter } from "../src/tokens/index.ts";

const MB = 1 << 20;
/** Characters of one message: about the mean of an agent's session. */
const MESSAGE_CHARS = 2_500;
const MESSAGES = 400;
/** Unbroken input of this length takes plain gpt-tokenizer about a tenth of a second; ten times as much, ten seconds. */
const FEASIBLE_CHARS = 8_192;
const REPEATS = 20;

interface Row {
  readonly name: string;
  readonly [column: string]: string | number;
}

const counter = await exactCounter("o200k_base");
const noSpecial = { disallowedSpecial: new Set<string>() };
const plain = (text: string): number => countTokens(text, noSpecial);

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const messages = cut(sourceTexts(), MESSAGE_CHARS);
const report = { text: benchText(), transcript: benchTranscript(), unbroken: benchUnbroken() };
if (values.json) console.log(JSON.stringify(report, null, 2));
else {
  print(`Text: ${messages.length} messages of this repository's own source`, report.text);
  print(`A transcript of ${MESSAGES} messages`, report.transcript);
  print("Text without a break", report.unbroken);
}

/** Whole texts: the first time, with known words, and known as a whole. */
function benchText(): Row[] {
  const chars = messages.reduce((sum, text) => sum + text.length, 0);
  const altered = messages.map((text) => `${text}!`);
  const sum = (count: (text: string) => number, texts: readonly string[]) => (): number =>
    texts.reduce((total, text) => total + count(text), 0);
  const row = (name: string, [ms, tokens]: readonly [number, number]): Row => ({
    name,
    ms: round(ms),
    "MB/s": round(chars / 1_000 / ms),
    tokens,
  });
  const cold = timed(sum(counter.count, messages));
  const warm = best(() => timed(sum(counter.count, altered)), 1);
  const memoised = best(() => timed(sum(counter.count, messages)), REPEATS);
  return [
    row("gpt-tokenizer, first time", timed(sum(plain, messages))),
    row(
      "gpt-tokenizer, again",
      best(() => timed(sum(plain, messages)), 3),
    ),
    row("precis, first time", cold),
    row("precis, new text of known words", warm),
    { ...row("precis, known text", memoised), "times faster than first": Math.round(cold[0] / memoised[0]) },
  ];
}

/** Messages as the engine meets them: on every request the whole transcript again. */
function benchTranscript(): Row[] {
  const transcript: Message[] = Array.from({ length: MESSAGES }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: `${i}: ${messages[i % messages.length]}` }],
  }));
  const measure = createMeasure({ counter });
  const sum = (list: readonly Message[]) => (): number =>
    list.reduce((total, message) => total + measure.message(message), 0);
  const first = timed(sum(transcript));
  const again = best(() => timed(sum(transcript)), REPEATS);
  const json = JSON.stringify(transcript);
  const parsed = best(() => timed(sum(JSON.parse(json) as Message[])), REPEATS);
  const row = (name: string, [ms, tokens]: readonly [number, number]): Row => ({
    name,
    ms: round(ms),
    "times faster than first": Math.round(first[0] / ms),
    tokens,
  });
  return [row("first time", first), row("again, same strings", again), row("again, parsed anew", parsed)];
}

/** Input that makes byte-pair merging quadratic. */
function benchUnbroken(): Row[] {
  const cjk = Array.from({ length: 3_000 }, (_, i) => String.fromCharCode(0x4e00 + i)).join("");
  const inputs: Record<string, (chars: number) => string> = {
    spaces: (chars) => " ".repeat(chars),
    "one letter": (chars) => "a".repeat(chars),
    "rules (=)": (chars) => "=".repeat(chars),
    "line breaks": (chars) => "\n".repeat(chars),
    "random letters": (chars) => random(chars, "abcdefghijklmnopqrstuvwxyz"),
    "CJK, no punctuation": (chars) => random(chars, cjk),
    "combining marks": (chars) => "\u0301".repeat(chars),
    base64: (chars) => random(chars, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
  };
  return Object.entries(inputs).map(([name, make]) => {
    const small = make(FEASIBLE_CHARS);
    const [theirMs, theirs] = timed(() => plain(small));
    const [ourMs, ours] = timed(() => counter.count(small));
    const large = make(MB);
    return {
      name,
      "gpt-tokenizer 8 KB, ms": round(theirMs),
      "precis 8 KB, ms": round(ourMs),
      "difference, tokens": ours - theirs,
      "precis 1 MB, ms": round(timed(() => counter.count(large))[0]),
    };
  });
}

/** This repository's sources: real code and prose that is always at hand. */
function sourceTexts(): string[] {
  const root = join(import.meta.dirname, "..", "src");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => readFileSync(join(root, file), "utf8"));
}

function cut(texts: readonly string[], chars: number): string[] {
  const all = texts.join("\n");
  return Array.from({ length: Math.ceil(all.length / chars) }, (_, i) =>
    all.slice(i * chars, (i + 1) * chars),
  );
}

/** Pseudo-random text, the same in every run. */
function random(chars: number, alphabet: string): string {
  let seed = 12_345;
  let text = "";
  for (let i = 0; i < chars; i++) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    text += alphabet[(seed >> 8) % alphabet.length];
  }
  return text;
}

function timed<T>(work: () => T): readonly [number, T] {
  const start = performance.now();
  const result = work();
  return [performance.now() - start, result];
}

function best<T>(run: () => readonly [number, T], times: number): readonly [number, T] {
  let fastest = run();
  for (let i = 1; i < times; i++) {
    const next = run();
    if (next[0] < fastest[0]) fastest = next;
  }
  return fastest;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function print(title: string, rows: readonly Row[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [
    columns.map((column) => (column === "name" ? "" : column)),
    ...rows.map((row) => columns.map((column) => String(row[column] ?? ""))),
  ];
  const widths = columns.map((_, c) => Math.max(...cells.map((line) => line[c]?.length ?? 0)));
  console.log(`\n${title}`);
  for (const line of cells)
    console.log(
      line
        .map((cell, c) => (c === 0 ? cell.padEnd(widths[c] ?? 0) : cell.padStart(widths[c] ?? 0)))
        .join("  "),
    );
}
