import { parseExactDense } from "../../core/exact-json.ts";
import { isJson, parseJson } from "./json.ts";
import type { Json } from "./wire.ts";

/** The JSON of every event of a stream's text, in order. Whatever isn't JSON (`[DONE]`, comments) is left out. */
export function readEvents(text: string): Json[] {
  const events = readPlain(text) ?? readLines(text);
  return events.filter(isJson);
}

const FIRST = "data: {";
const BETWEEN = "\n\ndata: ";
const LAST = `${BETWEEN}[DONE]\n\n`;

/**
 * Events that have nothing but data, as most streams do: one list as soon as what stands between them is a comma. JSON has
 * no line breaks within its strings, so nothing else is replaced; anything that isn't like that is no JSON then.
 */
function readPlain(text: string): readonly unknown[] | undefined {
  if (!text.startsWith(FIRST)) return undefined;
  const end = text.endsWith(LAST) ? text.length - LAST.length : text.length;
  const events = text.slice(FIRST.length - 1, end).split(BETWEEN);
  const all = parsed(`[${events.join(",")}]`);
  return Array.isArray(all) && all.length === events.length ? all : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseExactDense(text);
  } catch {
    return undefined;
  }
}

function readLines(text: string): readonly unknown[] {
  const found: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("data:")) continue;
    const data = line.slice("data:".length).trim();
    if (data.startsWith("{")) found.push(data);
  }
  // All at once is several times as fast as one by one; a broken event among them is rare.
  const all = parseJson(`[${found.join(",")}]`);
  return Array.isArray(all) && all.length === found.length ? all : found.map(parseJson);
}
