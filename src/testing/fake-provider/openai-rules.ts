import { kindOf } from "./json.ts";
import { demand } from "./provider-refusal.ts";
import type { FakeBody } from "./types.ts";

/** What both of OpenAI's APIs refuse in the same words. */

/** Models that think first: no temperature, and their cap has another name. */
export const REASONING_MODEL = /^(?:o\d|gpt-[5-9](?!.*chat)|codex-)/;

export function requireModel(body: FakeBody): string {
  const { model } = body;
  demand(typeof model === "string" && model !== "", "you must provide a model parameter");
  return model;
}

/** Refuses what the API doesn't know, as OpenAI does. */
export function refuseUnknown(
  body: FakeBody,
  known: ReadonlySet<string>,
  words: (name: string) => string,
): void {
  for (const name of Object.keys(body))
    demand(known.has(name), words(name), { param: name, code: "unknown_parameter" });
}

export function checkTemperature(body: FakeBody, model: string): void {
  const { temperature } = body;
  if (temperature === undefined || temperature === null) return;
  demand(
    typeof temperature === "number",
    `Invalid type for 'temperature': expected a decimal, but got ${kindOf(temperature)} instead.`,
    {
      param: "temperature",
      code: "invalid_type",
    },
  );
  demand(
    temperature >= 0 && temperature <= 2,
    `Invalid 'temperature': decimal ${temperature < 0 ? "below minimum" : "above maximum"} value. Expected a value ${temperature < 0 ? ">= 0" : "<= 2"}, but got ${temperature} instead.`,
    {
      param: "temperature",
      code: temperature < 0 ? "decimal_below_min_value" : "decimal_above_max_value",
    },
  );
  demand(
    !REASONING_MODEL.test(model) || temperature === 1,
    `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
    {
      param: "temperature",
      code: "unsupported_value",
    },
  );
}

/** A cap's lower bound. */
export function checkCap(body: FakeBody, name: string, min: number): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  demand(
    Number.isInteger(value),
    `Invalid type for '${name}': expected an integer, but got ${kindOf(value)} instead.`,
    {
      param: name,
      code: "invalid_type",
    },
  );
  demand(
    (value as number) >= min,
    `Invalid '${name}': integer below minimum value. Expected a value >= ${min}, but got ${value} instead.`,
    {
      param: name,
      code: "integer_below_min_value",
    },
  );
  return value as number;
}

export function checkTools(body: FakeBody): void {
  const { tools } = body;
  if (tools === undefined || tools === null) return;
  demand(
    Array.isArray(tools),
    `Invalid type for 'tools': expected an array of objects, but got ${kindOf(tools)} instead.`,
    {
      param: "tools",
      code: "invalid_type",
    },
  );
}

export function emptyArray(path: string): string {
  return `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
}
