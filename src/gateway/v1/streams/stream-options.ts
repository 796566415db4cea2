import type { StreamOptions } from "../../../stream/settings.ts";
import { streamStrategies } from "../../../stream/strategies.ts";
import { isJson, type Json, numberOf, textOf } from "../../http/json.ts";
import { RequestFault } from "../../http/request-fault.ts";

const NUMBERS = [
  "reserve",
  "tokensPerFrame",
  "separator",
  "fps",
  "summaryCap",
  "deadlineMs",
  "tail",
  "keepSeconds",
] as const;
const TEXTS = ["systemPrompt", "knowledge", "knowledgeMarker"] as const;
const SPEAK = ["silence", "cap", "temperature", "everySeconds"] as const;

/** The options of a session as a host gives them. What is wrong with their values, the session itself says. */
export function streamOptions(body: Json): Omit<StreamOptions, "cache"> {
  const window = numberOf(body["window"]);
  if (window === undefined)
    throw new RequestFault(400, "invalid", "precis: `window` is missing: the tokens that the cache holds.");
  const strategy = body["strategy"];
  if (strategy !== undefined && !streamStrategies.includes(strategy as never))
    throw new RequestFault(
      400,
      "invalid",
      `precis: \`strategy\` must be one of ${streamStrategies.join(", ")}.`,
    );
  return {
    window,
    ...(strategy !== undefined && { strategy: strategy as NonNullable<StreamOptions["strategy"]> }),
    ...numbers(body, NUMBERS),
    ...Object.fromEntries(
      TEXTS.flatMap((name) => {
        const text = textOf(body[name]);
        return text === undefined ? [] : [[name, text]];
      }),
    ),
    // A host whose model speaks says how.
    speak: isJson(body["speak"]) ? numbers(body["speak"], SPEAK) : false,
  };
}

function numbers(body: Json, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = numberOf(body[name]);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
