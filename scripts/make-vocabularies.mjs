// @ts-check
/**
 * Writes the vocabularies that tokens are counted with, `src/tokens/vocabularies/*.ts`, from the package gpt-tokenizer. One text for
 * all tokens is half the size of a list in a program, and is read in half the time.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";
import { root } from "./lib/project.mjs";

/** Stands between two tokens, and in no token but its own. */
const SEPARATOR = "\x7f";
/** A byte b of a token that isn't text is written as this + b: half of a surrogate pair, which no text begins with. */
const FIRST_BYTE = 0xdc00;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

for (const [name, tokens] of /** @type {const} */ ([
  ["o200k_base", o200k],
  ["cl100k_base", cl100k],
])) {
  const file = join(root, "src/tokens/vocabularies", `${name}.ts`);
  const text = JSON.stringify(tokens.map(written).join(SEPARATOR));
  writeFileSync(
    file,
    `/**
 * The tokens of ${name}, by rank, as \`scripts/make-vocabularies.mjs\` writes them. OpenAI published this vocabulary with tiktoken
 * under the MIT licence.
 */
const tokens: string = ${text};

export default tokens;
`,
  );
}

/**
 * @param {string | readonly number[]} token
 * @returns {string}
 */
function written(token) {
  const bytes = typeof token === "string" ? encoder.encode(token) : Uint8Array.from(token);
  try {
    const text = decoder.decode(bytes);
    if (!text.includes(SEPARATOR)) return text;
  } catch {
    // Bytes in the middle of a character.
  }
  return String.fromCharCode(...Array.from(bytes, (byte) => FIRST_BYTE + byte));
}
