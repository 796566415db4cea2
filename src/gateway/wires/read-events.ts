import { isJson, parseJson } from "./json.ts";
import type { Json } from "./wire.ts";

/** The JSON of every event of a stream's text, in order. Whatever isn't JSON (`[DONE]`, comments) is left out. */
export function readEvents(text: string): Json[] {
  const events: Json[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("data:")) continue;
    const data = parseJson(line.slice(5));
    if (isJson(data)) events.push(data);
  }
  return events;
}
