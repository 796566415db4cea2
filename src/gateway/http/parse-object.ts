import { isUtf8 } from "node:buffer";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { parseMarked } from "../../core/exact-json.ts";
import { checkValues } from "./check-values.ts";
import { RequestFault } from "./request-fault.ts";

/** A body as a JSON object, with marks in the place of numbers that a double can't hold: see `withNumbers`. */
export function parseObject(bytes: Buffer): { readonly value: Json; readonly numbers: readonly string[] } {
  checkValues(bytes);
  if (!isUtf8(bytes)) throw new RequestFault(400, "bad-utf8", "The body isn't valid UTF-8.");
  let parsed: ReturnType<typeof parseMarked>;
  try {
    parsed = parseMarked(bytes.toString("utf8"));
  } catch (error) {
    throw new RequestFault(400, "bad-json", `The body isn't valid JSON: ${(error as Error).message}.`);
  }
  const { value, numbers } = parsed;
  if (!isJson(value)) throw new RequestFault(400, "bad-json", "The body isn't a JSON object.");
  return { value, numbers };
}
