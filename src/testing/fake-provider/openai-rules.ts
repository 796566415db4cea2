import type { DialectId } from "../../core/types.ts";
import { judgeWire } from "../rules/judge-wire.ts";
import { demand } from "./refusals.ts";
import type { FakeBody } from "./types.ts";

/** What both of OpenAI's APIs refuse in the same words. */

/** Models that think first: no temperature, and their cap has another name. */
export const REASONING_MODEL = /^(?:o\d|gpt-[5-9](?!.*chat)|codex-)/;

export function requireModel(body: FakeBody): string {
  const { model } = body;
  demand(typeof model === "string" && model !== "", "you must provide a model parameter");
  return model;
}

/** Refuses a value of another type than the expected one. */
export function demandType(
  isRight: boolean,
  path: string,
  expected: string,
  value: unknown,
): asserts isRight {
  demand(isRight, `Invalid type for '${path}': expected ${expected}, but got ${kindOf(value)} instead.`, {
    param: path,
    code: "invalid_type",
  });
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
  demandType(typeof temperature === "number", "temperature", "a decimal", temperature);
  demand(
    temperature >= 0 && temperature <= 2,
    `Invalid 'temperature': decimal ${temperature < 0 ? "below minimum" : "above maximum"} value. Expected a value ${temperature < 0 ? ">= 0" : "<= 2"}, but got ${temperature} instead.`,
    { param: "temperature", code: temperature < 0 ? "decimal_below_min_value" : "decimal_above_max_value" },
  );
  demand(
    !REASONING_MODEL.test(model) || temperature === 1,
    `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
    { param: "temperature", code: "unsupported_value" },
  );
}

/** A cap's lower bound. */
export function checkCap(body: FakeBody, name: string, min: number): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  demandType(Number.isInteger(value), name, "an integer", value);
  demand(
    (value as number) >= min,
    `Invalid '${name}': integer below minimum value. Expected a value >= ${min}, but got ${value} instead.`,
    { param: name, code: "integer_below_min_value" },
  );
  return value as number;
}

export function checkTools(body: FakeBody): void {
  const { tools } = body;
  if (tools === undefined || tools === null) return;
  demandType(Array.isArray(tools), "tools", "an array of objects", tools);
}

/** Refuses a list without members. */
export function demandMembers(hasMembers: boolean, path: string): asserts hasMembers {
  demand(
    hasMembers,
    `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    { param: path, code: "empty_array" },
  );
}

/** Refuses a request that leaves out what must be there. */
export function demandGiven(isGiven: boolean, path: string): asserts isGiven {
  demand(isGiven, `Missing required parameter: '${path}'.`, {
    param: path,
    code: "missing_required_parameter",
  });
}

/** What OpenAI calls the type of a value. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "number" ? "an integer" : `a ${typeof value}`;
}

/**
 * What chat templates of open models refuse. Those that know tools count neither calls nor results; the user may not speak before the
 * model has answered results, and there is one system message, the first.
 */
export function checkAlternation(dialect: DialectId, messages: readonly unknown[]): void {
  const refuse = (isFine: boolean, text: string) => demand(isFine, text, { type: "BadRequestError" });
  const { facts } = judgeWire(dialect, messages);
  for (const [index, { role }] of facts.entries()) {
    refuse(index === 0 || role !== "system", "Only the first message may have the role system.");
    const isBehindResults = role === "user" && facts[index - 1]?.role === "tool";
    refuse(!isBehindResults, "Unexpected role 'user' after role 'tool'");
  }
  const speakers = facts.filter(
    ({ role, calls, kinds }) =>
      (role === "user" || role === "assistant") && calls.length === 0 && !kinds.includes("reasoning"),
  );
  for (const [index, { role }] of speakers.entries())
    refuse(
      (role === "user") === (index % 2 === 0),
      "Conversation roles must alternate user/assistant/user/assistant/...",
    );
}
