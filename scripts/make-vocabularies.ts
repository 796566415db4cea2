/**
 * Writes the vocabularies that tokens are counted with, `src/tokens/vocabularies/*.ts`, from the package gpt-tokenizer, unless they
 * are there. One text for all tokens is half the size of a list in a program, and is read in half the time. Builds, checks and tests
 * begin with it, so that no copy of the data has to stand in the repository.
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib/project.ts";

const folder = join(root, "src/tokens/vocabularies");

/** Stands between two tokens, and in no token but its own. */
const SEPARATOR = "\x7f";
/** A byte b of a token that isn't text is written as this + b: half of a surrogate pair, which no text begins with. */
const FIRST_BYTE = 0xdc00;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

mkdirSync(folder, { recursive: true });
await make("o200k_base", () => import("gpt-tokenizer/bpeRanks/o200k_base"));
await make("cl100k_base", () => import("gpt-tokenizer/bpeRanks/cl100k_base"));

async function make(name: string, load: () => Promise<{ default: readonly (string | readonly number[])[] }>) {
  const file = join(folder, `${name}.ts`);
  if (existsSync(file)) return;
  const { default: tokens } = await load();
  const text = JSON.stringify(tokens.map(written).join(SEPARATOR));
  // Two of them may run at the same time: what others read is whole.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(
    unfinished,
    `/** The tokens of ${name}, by rank, as \`scripts/make-vocabularies.ts\` writes them. */
const tokens: string = ${text};

export default tokens;
`,
  );
  renameSync(unfinished, file);
}

function written(token: string | readonly number[]): string {
  const bytes = typeof token === "string" ? encoder.encode(token) : Uint8Array.from(token);
  try {
    const text = decoder.decode(bytes);
    if (!text.includes(SEPARATOR)) return text;
  } catch {
    // Bytes in the middle of a character.
  }
  return String.fromCharCode(...Array.from(bytes, (byte) => FIRST_BYTE + byte));
}
