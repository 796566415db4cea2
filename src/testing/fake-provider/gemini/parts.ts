import { isObject, type Json, objects, str } from "../../json.ts";

/** What Google's API takes for the signature of a call that its model didn't make. */
const SKIPS = new Set(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]);
/** What signatures of the fake begin with. */
export const SEAL = "sig.";

/** An object with its fields in camel case: the API takes both spellings. */
export function fieldsOf(value: Json): Json {
  const names = Object.keys(value);
  if (!names.some((name) => name.includes("_"))) return value;
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(names.map((name) => [camel(name), value[name]]));
}

export function partsOf(message: Json): readonly Json[] {
  const parts = message["parts"];
  return isObject(parts) ? [parts] : objects(parts);
}

export function callOf(part: Json): Json | undefined {
  const call = fieldsOf(part)["functionCall"];
  return isObject(call) ? call : undefined;
}

export function responseOf(part: Json): Json | undefined {
  const response = fieldsOf(part)["functionResponse"];
  return isObject(response) ? response : undefined;
}

export function isSigned(part: Json): boolean {
  const signature = str(fieldsOf(part)["thoughtSignature"]);
  return signature.startsWith(SEAL) || SKIPS.has(signature);
}

/** What a part says, for authors of replies. */
export function readPart(part: Json): string {
  const fields = fieldsOf(part);
  if (typeof fields["text"] === "string") return fields["text"];
  const call = callOf(part);
  if (call) return `${str(call["name"])}(${JSON.stringify(call["args"] ?? {})})`;
  const response = responseOf(part);
  const [only, ...others] =
    response && isObject(response["response"]) ? Object.values(response["response"]) : [];
  if (response)
    return typeof only === "string" && others.length === 0 ? only : JSON.stringify(response["response"]);
  return JSON.stringify(part);
}
