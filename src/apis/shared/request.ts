import { defined } from "../../core/collections.ts";
import { isRecord } from "../../core/json.ts";
import type { ModelMessage, ModelRequest } from "../../core/types.ts";
import type { Api, ApiRequest, ApiView, AskedRequest, Asking, AskSettings, RequestFields } from "./api.ts";
import { type Json, numberOf, textOf } from "./fields.ts";
import { reasoningAllowance } from "./model-traits.ts";

/** Requests whose fields stand in the body itself, by the names that an API gives them. */
export function requestsBy(fields: RequestFields) {
  return {
    fields,
    lack: `\`${fields.messages}\` is missing or isn't a list.`,

    read(body: Json): ApiRequest | undefined {
      const messages = body[fields.messages];
      if (!Array.isArray(messages)) return undefined;
      return {
        model: textOf(body["model"]) ?? "",
        transcript: messages,
        system: fields.system === undefined ? undefined : (body[fields.system] ?? undefined),
        tools: firstOf(body, fields.tools),
        streamed: body["stream"] === true,
        cap: numberOf(firstOf(body, fields.caps)),
      };
    },

    write: (body: Json, { messages, system }: ApiView): Json => ({
      ...body,
      [fields.messages]: messages,
      ...(fields.system !== undefined && system != null && { [fields.system]: system }),
    }),

    /** The request with a cap on its answer, under the name that it has or would have. */
    withCap: (body: Json, cap: number): Json => ({
      ...body,
      [capName(fields, body)]: Math.max(fields.leastCap ?? 0, cap),
    }),
  };
}

function capName({ caps }: RequestFields, body: Json): string {
  return caps.find((name) => body[name] != null) ?? caps.at(-1)!;
}

function firstOf(body: Json, names: readonly string[]): unknown {
  return names.map((name) => body[name]).find((value) => value != null);
}

/** How a provider is asked to count a request instead of answering it. */
export interface Counting {
  /** Where, by the path that answers the request. */
  path(asked: string): string;
  body(body: Json, asked: string): Json;
  /** What it counted. */
  read(answer: Json): number | undefined;
}

/** An endpoint behind the path that answers, which takes some of the same fields. */
export function countingBehind(end: string, fields: readonly string[]): Counting {
  return {
    path(asked) {
      const [bare = asked, ...query] = asked.split("?");
      return [bare.replace(/\/$/, "") + end, ...query].join("?");
    },
    body: (body) => Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name))),
    read: ({ input_tokens }) => numberOf(input_tokens),
  };
}

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

/**
 * What is left of a request when somebody else is to answer it: the prompt, and everything that the provider's cache may
 * depend on. What shapes the answer goes, because it was meant for the conversation's own: a stop sequence would cut a
 * summary off, a schema or a forced call would leave no place for it.
 */
export function continuedFields(given: Json, shaping: ReadonlySet<string>): Json {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (shaping.has(name)) continue;
    // Where calls aren't demanded, the prompt is the one that is cached.
    if ((name === "tool_choice" || name === "function_call") && isDemand(value)) continue;
    // What stands beside the format may be a part of the prompt.
    const free = name === "text" || name === "output_config" ? withoutFormat(value) : value;
    if (free !== undefined) kept[name] = free;
  }
  return kept;
}

/** A choice that makes the model call a tool. */
function isDemand(choice: unknown): boolean {
  const name = isRecord(choice) ? (choice["mode"] ?? choice["type"]) : choice;
  return name !== "auto" && name !== "none";
}

function withoutFormat(value: unknown): unknown {
  if (!isRecord(value) || !("format" in value)) return value;
  const { format: _, ...rest } = value;
  return Object.keys(rest).length > 0 ? rest : undefined;
}
