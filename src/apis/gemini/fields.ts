import { isJson, type Json } from "../shared/fields.ts";

/** A field of an object by either of its names: the API takes `functionCall` and `function_call`. */
export function fieldOf(value: unknown, name: string): unknown {
  if (!isJson(value)) return undefined;
  return value[name] ?? value[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/** A request that is to be counted may stand inside of another object. */
export function requestIn(body: Json): Json {
  const inner = body["generateContentRequest"];
  return isJson(inner) ? inner : body;
}
