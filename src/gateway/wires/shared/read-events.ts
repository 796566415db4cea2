import { parseExactDense } from "../../../core/exact-json.ts";
import type { Json } from "../../http/json.ts";
import { isJson, parseJson } from "../../http/json.ts";

/** The JSON of every event of a stream's text, in order. Whatever isn't JSON (`[DONE]`, comments) is left out. */
export function readEvents(text: string): Json[] {
  const found: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("data:")) continue;
    const data = line.slice("data:".length).trim();
    if (data.startsWith("{")) found.push(data);
  }
  // All at once is several times as fast as one by one; a broken event among them is rare.
  const all = parseList(`[${found.join(",")}]`);
  const events = all?.length === found.length ? all : found.map(parseJson);
  return events.filter(isJson);
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    return parseExactDense(text) as unknown[];
  } catch {
    return undefined;
  }
}
