import type { Api } from "../../../src/apis/shared/api.ts";
import { type Json, listOf, obj, str, textOf } from "../../../src/apis/shared/fields.ts";
import { OPENAI } from "../../../src/apis/shared/providers.ts";
import { requestsBy } from "../../../src/apis/shared/request.ts";
import { knownUsage } from "../../../src/apis/shared/usage.ts";
import type { Dialect, StopReason } from "../../../src/core/types.ts";
import { toy } from "./index.ts";

const STOPS: Readonly<Record<string, StopReason>> = { done: "end", long: "length" };

export const toyApi: Api = {
  api: "toy",
  provider: { ...OPENAI, isAt: () => false },
  path: "/v1/toy",
  dialect: toy as Dialect<unknown>,
  ...requestsBy({ messages: "talk", tools: ["tools"], caps: ["most"] }),

  readAnswer(answer) {
    const reply = textOf(answer["reply"]);
    return {
      messages: reply === undefined ? [] : [{ who: "you", words: reply }],
      usage: knownUsage(usageOf(answer)),
      stop: STOPS[str(answer["why"])] ?? "other",
      id: textOf(answer["id"]),
    };
  },
  assemble: (events) => ({ ...events.at(-1), reply: events.map((event) => str(event["piece"])).join("") }),
  readEvent: (event) => ({
    text: textOf(event["piece"]),
    isEnd: event["why"] !== undefined,
    usage: usageOf(event),
  }),
  error: (_, { message }) => ({ wrong: message }),
};

function usageOf(answer: Json): { input?: number; output?: number } {
  const [input, output] = listOf(obj(answer)["spent"]) as number[];
  return input === undefined ? {} : { input, ...(output !== undefined && { output }) };
}
