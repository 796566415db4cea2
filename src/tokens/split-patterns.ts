/** How OpenAI's tokenizers cut a text into pre-tokens, which no token crosses. Published with tiktoken under the MIT licence. */

const CONTRACTION = "'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])";
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const BEFORE_WORD = String.raw`[^\r\n\p{L}\p{N}]?`;
const NUMBER = String.raw`\p{N}{1,3}`;

/** The pattern of each encoding. Its alternatives cover every character. */
export const SPLIT_PATTERNS = {
  o200k_base: [
    `${BEFORE_WORD}${UPPER}*${LOWER}+(?:${CONTRACTION})?`,
    `${BEFORE_WORD}${UPPER}+${LOWER}*(?:${CONTRACTION})?`,
    NUMBER,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join("|"),
  cl100k_base: [
    CONTRACTION,
    String.raw`${BEFORE_WORD}\p{L}+`,
    NUMBER,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`,
    String.raw`\s+$`,
    String.raw`\s*[\r\n]`,
    String.raw`\s+(?!\S)`,
    String.raw`\s`,
  ].join("|"),
} as const;
