import { tryParseReadable } from "../../core/json.ts";

/** Larger results are read as text: parsing them would cost more than it gives (characters). */
const MAX_JSON = 2_000_000;
/** Values up to this length share a line with their neighbours (characters). */
const MAX_SHORT = 80;
const MAX_ROW = 140;
const MAX_DEPTH = 8;

/** A JSON result as lines: short values of one object side by side, long texts on lines of their own. Undefined: no JSON. */
export function readJson(text: string): string | undefined {
  const start = text.trimStart()[0];
  if ((start !== "{" && start !== "[") || text.length > MAX_JSON) return undefined;
  const value = tryParseReadable(text);
  if (value === undefined) return undefined;
  const lines: string[] = [];
  const visit = (key: string, item: unknown, depth: number): void => {
    if (typeof item !== "object" || item === null) {
      lines.push(`${key}${scalar(item)}`);
      return;
    }
    if (depth > MAX_DEPTH) {
      lines.push(`${key}${JSON.stringify(item)}`);
      return;
    }
    const row: string[] = [];
    let length = 0;
    const flush = () => {
      if (row.length > 0) lines.push(row.join(" "));
      row.length = 0;
      length = 0;
    };
    for (const [inner, value] of Object.entries(item)) {
      const name = Array.isArray(item) ? key : `${inner}=`;
      const short = typeof value !== "object" || value === null ? scalar(value) : undefined;
      if (short !== undefined && short.length <= MAX_SHORT && !short.includes("\n")) {
        if (length + short.length > MAX_ROW) flush();
        row.push(`${row.length > 0 && Array.isArray(item) ? "" : name}${short}`);
        length += name.length + short.length + 1;
        continue;
      }
      flush();
      visit(name, value, depth + 1);
    }
    flush();
  };
  visit("", value, 0);
  return lines.join("\n");
}

function scalar(value: unknown): string {
  return typeof value === "string" ? value : String(value);
}
