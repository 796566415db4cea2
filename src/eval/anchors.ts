/**
 * Anchors: the names that a next step can't do without and can't guess. Only the measurements know this definition;
 * nothing that makes views may import it, or it would be choosing lines by the answer sheet.
 */

const URL = /https?:\/\/[^\s"'`<>()[\]{}\\,]+/g;
/** Two names or more with slashes between: absolute, relative or home. Taken whole: its tails aren't further paths. */
const SLASH_PATH = /(?<![A-Za-z0-9_@./~-])(?:(?:~|\.{1,2})?\/)?[A-Za-z0-9_@.-]+(?:\/[A-Za-z0-9_@.-]+)+/g;
const EXTENSIONS =
  "go|ts|tsx|js|jsx|mjs|cjs|py|rb|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|zsh|sql|html|css|scss|vue|svelte|md|txt|json|jsonl|yaml|yml|toml|xml|ini|cfg|conf|env|lock|mod|sum|proto|graphql|tf|csv|log";
const FILE_NAME = new RegExp(
  `(?<![A-Za-z0-9_@./~-])[A-Za-z0-9_-][A-Za-z0-9_.-]*\\.(?:${EXTENSIONS})\\b`,
  "g",
);
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/g;
const HEX = /\b[0-9a-f]{7,40}\b/g;

/** Characters. */
const SHORTEST_PATH = 5;
const SHORTEST_IDENTIFIER = 7;

const SNAKE = /[A-Za-z0-9]_[A-Za-z0-9]/;
const CAMEL = /[a-z0-9][A-Z]/;
const ACRONYM_THEN_WORD = /[A-Z]{2}[a-z]/;

function isCompound(name: string): boolean {
  return SNAKE.test(name) || CAMEL.test(name) || (ACRONYM_THEN_WORD.test(name) && /^[A-Z]/.test(name));
}

function trimEnd(text: string): string {
  return text.replace(/[.:;,/-]+$/, "");
}

/** The anchors of a text: URLs, paths, file names, compound identifiers and hashes. */
export function anchorsOf(text: string): Set<string> {
  const found = new Set<string>();
  const rest = text.replace(URL, (url) => {
    found.add(trimEnd(url));
    return " ";
  });
  for (const pattern of [SLASH_PATH, FILE_NAME]) {
    for (const [match] of rest.matchAll(pattern)) {
      const path = trimEnd(match);
      if (path.length >= SHORTEST_PATH && /[A-Za-z]/.test(path)) found.add(path);
    }
  }
  for (const [name] of rest.matchAll(IDENTIFIER)) {
    if (name.length >= SHORTEST_IDENTIFIER && isCompound(name)) found.add(name);
  }
  for (const [hash] of rest.matchAll(HEX)) {
    if (/\d/.test(hash) && /[a-f]/.test(hash)) found.add(hash);
  }
  return found;
}
