import { defined } from "../../core/defined.ts";
import type { ModelMessage, ModelRequest } from "../../core/types.ts";
import type { Api, AskedRequest, Asking, AskSettings } from "./api.ts";
import { continuedFields } from "./continued-fields.ts";
import type { Json } from "./fields.ts";
import { reasoningAllowance } from "./model-traits.ts";

/** What an API has of its own when it is asked for a summary. */
interface AskRules {
  /** Fields of a conversation's request that shape or keep the answer and have no part in the prompt. */
  readonly shaping: readonly string[];
  append(messages: readonly unknown[], message: ModelMessage): readonly unknown[];
  /** The messages of the conversation's request; undefined if it isn't one of this API. Default: the list in its field. */
  before?(given: Json): readonly unknown[] | undefined;
  /** The name of the cap where the request has none. Default: the usual one. */
  capName?(model: string): string;
  /** The cap with what the model may think. Default: by the model's name. */
  cap?(cap: number, given: Json | undefined, settings: AskSettings): number;
  /** Is a temperature refused beside the other fields? */
  isFixed?(given: Json): boolean;
  fields?(request: ModelRequest, given: Json | undefined): Json;
  headers?(given: Json): Readonly<Record<string, string>> | undefined;
}

/** How an API is asked for a summary whose fields stand in the body itself. */
export function askingBy(api: Api, rules: AskRules): Asking {
  const { messages: field, system, caps, leastCap = 0 } = api.fields;

  const body = (
    before: readonly unknown[],
    request: ModelRequest,
    settings: AskSettings,
    given?: Json,
  ): Json => {
    const name = caps.find((one) => given && one in given) ?? rules.capName?.(settings.model) ?? caps.at(-1)!;
    // Two caps of one answer are refused by some.
    const left = new Set([...rules.shaping, ...caps.filter((one) => one !== name)]);
    const cap = rules.cap?.(request.cap, given, settings) ?? capWithRoom(request.cap, settings);
    return {
      ...(given
        ? continuedFields(given, left)
        : { model: settings.model, ...(system !== undefined && defined({ [system]: request.system })) }),
      [field]: request.messages.reduce<readonly unknown[]>(rules.append, before),
      [name]: Math.max(leastCap, cap),
      ...(!(given && rules.isFixed?.(given)) && defined({ temperature: settings.temperature })),
      ...rules.fields?.(request, given),
      stream: false,
    };
  };

  return {
    api,
    ask(request, settings) {
      const isMessage = system === undefined && request.system !== undefined;
      const before = isMessage ? [{ role: "system", content: request.system }] : [];
      return { body: body(before, request, settings) };
    },
    extend(given, request, settings): AskedRequest | undefined {
      const own = given[field];
      const before = rules.before?.(given) ?? (Array.isArray(own) ? (own as readonly unknown[]) : undefined);
      if (before === undefined) return undefined;
      return {
        body: body(before, request, settings, given),
        ...defined({ headers: rules.headers?.(given) }),
      };
    },
  };
}

/** The cap of an answer, with the room that a model needs which thinks first. */
export function capWithRoom(cap: number, { model, window }: AskSettings): number {
  return cap + reasoningAllowance(model, window);
}
