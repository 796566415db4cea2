import { isUtf8 } from "node:buffer";
import { parseExact } from "../../core/exact-json.ts";
import type { Json } from "./json.ts";
import { isJson } from "./json.ts";
import { RequestFault } from "./request-fault.ts";

/** A body as a JSON object. */
export function parseObject(bytes: Buffer): Json {
  if (!isUtf8(bytes)) throw new RequestFault(400, "bad-utf8", "The body isn't valid UTF-8.");
  let value: unknown;
  try {
    value = parseExact(bytes.toString("utf8"));
  } catch (error) {
    throw new RequestFault(400, "bad-json", `The body isn't valid JSON: ${(error as Error).message}.`);
  }
  if (!isJson(value)) throw new RequestFault(400, "bad-json", "The body isn't a JSON object.");
  return value;
}
