import type { DialectId } from "../../core/types.ts";
import type { WireFacts } from "./facts.ts";
import type { Pairs } from "./pairing.ts";

/** A list of wire messages, read. */
interface ReadList {
  readonly facts: readonly WireFacts[];
  readonly pairs: Pairs;
}

/** The position of the message that a provider would name, and the call that it is about. */
interface Place {
  readonly at: number;
  readonly id?: string;
}

/** One thing for which providers answer 400. */
export interface Rule {
  readonly kind: string;
  /** What holds, and in whose words. */
  readonly sentence: string;
  /** Left out: all formats. */
  readonly of?: readonly DialectId[];
  broken(list: ReadList): readonly Place[];
}

const CHAT = "openai-chat";
const RESPONSES = "openai-responses";
const ANTHROPIC = "anthropic-messages";
const GEMINI = "gemini-contents";

/**
 * What providers refuse in a list of messages, by their documents and their error messages. Tests judge by it alone: nothing here shares
 * code with `src/apis` or `src/core`, so that a misreading there can't hide itself.
 */
const TABLE = [
  {
    kind: "unanswered-call",
    sentence:
      'Each call is answered: right behind it ("must be followed by tool messages responding to each \'tool_call_id\'", "must have a corresponding `tool_result` block in the next message"), in Responses anywhere ("No tool output found for function call").',
    broken: ({ pairs }): readonly Place[] => pairs.faults.filter(({ kind }) => kind === "unanswered-call"),
  },
  {
    kind: "orphan-result",
    sentence:
      'Each result has its call before it ("must be a response to a preceeding message with \'tool_calls\'", "unexpected `tool_use_id` found", "No tool call found for function call output").',
    broken: ({ pairs }): readonly Place[] => pairs.faults.filter(({ kind }) => kind === "orphan-result"),
  },
  {
    kind: "second-result",
    sentence: 'A call has one result ("each tool_use must have a single result").',
    of: [CHAT, ANTHROPIC, RESPONSES],
    broken: ({ facts, pairs }) => {
      const answered = new Set<string>();
      return facts.flatMap((fact, at) =>
        fact.results.flatMap(({ kind, id }) => {
          const call = `${pairs.partners.get(`${at}/${kind}/${id}`)}/${kind}/${id}`;
          const isSecond = answered.has(call) && !call.startsWith("undefined");
          answered.add(call);
          return isSecond ? [{ at, id }] : [];
        }),
      );
    },
  },
  {
    kind: "twin-calls",
    sentence: 'Calls of one answer have ids of their own ("`tool_use` ids must be unique").',
    of: [CHAT, ANTHROPIC, "ai-sdk"],
    broken: each(({ calls }) =>
      calls.filter(({ id }, nth) => calls.findIndex((call) => call.id === id) < nth),
    ),
  },
  {
    kind: "broken-arguments",
    sentence: "Arguments are JSON.",
    broken: each(({ jsonArgs }) => jsonArgs.filter((args) => !isJsonText(args)).map(() => ({ id: "" }))),
  },
  {
    kind: "text-before-result",
    sentence: 'Results stand first in their message ("tool_result blocks must come first in the content").',
    broken: each(({ textBeforeResult }) => textBeforeResult),
  },
  {
    kind: "empty-message",
    sentence: "A message says something.",
    broken: each(isEmpty),
  },
  {
    kind: "empty-text",
    sentence: 'So does each text of it ("text content blocks must be non-empty", "minimum length 1").',
    broken: each(({ own }) => own.some((text) => text.trim() === "")),
  },
  {
    kind: "first-role",
    sentence: 'The user speaks first ("first message must use the "user" role").',
    of: [ANTHROPIC, GEMINI],
    broken: ({ facts }) => {
      const first = facts.findIndex((fact) => fact.role !== "system");
      return first >= 0 && facts[first]?.role !== "user" ? [{ at: first }] : [];
    },
  },
  {
    kind: "ends-with-assistant",
    sentence: "The model's own words don't come last: they would be continued.",
    broken: ({ facts }) => (facts.at(-1)?.role === "assistant" ? [{ at: facts.length - 1 }] : []),
  },
  {
    kind: "no-messages",
    sentence: "Somebody but the system speaks.",
    broken: ({ facts }) => (facts.every((fact) => fact.role === "system") ? [{ at: -1 }] : []),
  },
  {
    kind: "dangling-reasoning",
    sentence:
      "Reasoning stands before what it led to (\"of type 'reasoning' was provided without its required following item\").",
    of: [RESPONSES],
    broken: ({ facts }) =>
      facts.flatMap(({ reasoning }, at) => {
        const next = facts.findIndex((fact, index) => index > at && fact.reasoning === 0);
        return reasoning > 0 && facts[next]?.role !== "assistant" ? [{ at }] : [];
      }),
  },
  {
    kind: "final-thinking",
    sentence:
      'An answer doesn\'t end with a thought ("The final block in an assistant message cannot be `thinking`").',
    of: [ANTHROPIC],
    broken: each(({ kinds }) => kinds.at(-1) === "thinking"),
  },
  {
    kind: "missing-signature",
    sentence:
      'In the turn under way, the first call of each message carries a signature ("Function call is missing a thought_signature").',
    of: [GEMINI],
    broken: ({ facts }) => {
      const said = facts.findLastIndex(
        (fact) =>
          fact.role === "user" &&
          fact.results.length === 0 &&
          (fact.media > 0 || fact.words.some((text) => text.trim() !== "")),
      );
      return facts.flatMap(({ calls, callSigned }, at) =>
        at > said && calls.length > 0 && !callSigned ? [{ at }] : [],
      );
    },
  },
  {
    kind: "call-behind-the-model",
    sentence:
      'Calls follow the user or results ("function call turn comes immediately after a user turn or after a function response turn").',
    of: [GEMINI],
    broken: ({ facts }) =>
      facts.flatMap(({ calls, role }, at) =>
        calls.length > 0 && facts[at - 1]?.role === role ? [{ at }] : [],
      ),
  },
] as const satisfies readonly Rule[];

export const RULES: readonly (Rule & { readonly kind: RuleKind })[] = TABLE;
export type RuleKind = (typeof TABLE)[number]["kind"];

/** A rule for each message by itself. */
function each(
  look: (fact: WireFacts) => boolean | readonly { readonly id: string }[],
): (list: ReadList) => readonly Place[] {
  return ({ facts }) =>
    facts.flatMap((fact, at): readonly Place[] => {
      const found = look(fact);
      if (typeof found === "boolean") return found ? [{ at }] : [];
      return found.map(({ id }) => ({ at, id }));
    });
}

/** Nothing that a model could read: providers refuse such a message, or answer it with confusion. */
export function isEmpty(fact: WireFacts): boolean {
  return (
    fact.calls.length + fact.results.length + fact.media + fact.reasoning === 0 &&
    fact.texts.every((text) => text.trim() === "")
  );
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
