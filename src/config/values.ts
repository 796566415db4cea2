import { z } from "zod";
import { LEAST_TOKENS, MOST_TOKENS } from "../core/budget.ts";
import { nearest } from "../core/nearest.ts";
import { bytesIn, DAY_MS, millisecondsIn, tokensIn } from "./sizes.ts";

/** Why a value is refused: what it isn't, and what to give instead. */
export interface Words {
  /** Goes on from the value: `is no port`. */
  readonly problem: string;
  readonly fix: string;
}

/** The parts of `Words` within the one text that a schema's issue has. */
const BETWEEN = "\n";
const say = ({ problem, fix }: Words): string => problem + BETWEEN + fix;

/** The words of an issue of the schemas below. */
export function wordsIn(message: string): Words {
  const at = message.indexOf(BETWEEN);
  return at < 0
    ? { problem: `can't be: ${message}`, fix: "Give another value, or leave it out." }
    : { problem: message.slice(0, at), fix: message.slice(at + BETWEEN.length) };
}

/** An address with a user or a password in it isn't repeated. */
export const hasSecret = (text: string): boolean => /\/\/[^/]*@/.test(text);

/** A value that `read` reads; what it can't is refused in these words. `I` is what may be given, for types. */
function value<O, I = O>(
  words: Words | ((given: unknown) => Words),
  read: (given: unknown) => O | undefined,
) {
  return z
    .custom<I>((given) => read(given) !== undefined, {
      error: ({ input }) => say(typeof words === "function" ? words(input) : words),
    })
    .transform((given) => read(given) as O);
}

const isNumber = (given: unknown): given is number => typeof given === "number" && Number.isFinite(given);

/** A number as it is, a text by its unit. */
const sizeOf = (given: unknown, read: (text: string) => number | undefined): number | undefined =>
  isNumber(given) ? given : typeof given === "string" ? read(given) : undefined;

export function wholeNumber(what: string, least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  return value({ problem: `is no ${what}`, fix: `Give a whole number ${range}.` }, (given) =>
    Number.isSafeInteger(given) && Number(given) >= least && Number(given) <= most
      ? Number(given)
      : undefined,
  );
}

/** A number of tokens that may be smaller than a window: `300`, `"2k"`. */
export const tokensFrom = (least: number) =>
  value<number, number | string>(
    (given) => ({
      problem: Number(given) < least ? "is too few for a number of tokens" : "is no number of tokens",
      fix: `Give a whole number of at least ${least}, such as 8192, 32k or 1m.`,
    }),
    (given) => {
      const size = sizeOf(given, tokensIn);
      return Number.isSafeInteger(size) && size! >= least ? size : undefined;
    },
  );

/** The size of a window or a budget: `8192`, `"32k"`, `"1m"`. */
export const tokens = tokensFrom(LEAST_TOKENS);

const isPercent = (given: unknown): boolean => Number(given) > 1 && Number(given) < LEAST_TOKENS;

const shareIn = (text: string): number | undefined =>
  /^\s*(0?\.\d+|1(\.0+)?)\s*$/.test(text) ? Number(text) : undefined;

function thresholdFrom(none: 0 | undefined) {
  const least = none === 0 ? "0 for none, a share" : "a share above 0 and";
  return value<number, number | string>(
    (given) => ({
      problem:
        Number(given) > MOST_TOKENS
          ? "is more tokens than any window has"
          : "is neither a share nor a number of tokens",
      fix: `${isPercent(given) ? `Did you mean ${Number(given) / 100}? ` : ""}Give ${least} up to 1, such as 0.8, or at least ${LEAST_TOKENS} tokens, such as 8192 or 8k.`,
    }),
    (given) => {
      const size = sizeOf(given, (text) => shareIn(text) ?? tokensIn(text));
      if (size === none) return size;
      return size !== undefined && size > 0 && (size <= 1 || (size >= LEAST_TOKENS && size <= MOST_TOKENS))
        ? size
        : undefined;
    },
  );
}

/** A share of the budget or a number of tokens. */
export const threshold = thresholdFrom(undefined);
/** The same, or nothing at all. */
export const thresholdOrNone = thresholdFrom(0);

/** Milliseconds: `30000`, `"30s"`, `"10m"`. */
export const duration = (least: number) =>
  value<number, number | string>(
    {
      problem: "is no length of time",
      fix: `Give ${least === 0 ? "0 or more" : "whole"} milliseconds, such as 30000, or a time such as 500ms, 30s, 10m or 2h.`,
    },
    (given) => {
      const ms = sizeOf(given, millisecondsIn);
      return Number.isSafeInteger(ms) && ms! >= least ? ms : undefined;
    },
  );

/** Days: `30`, `"12h"`, `"4w"`. */
export const days = value<number, number | string>(
  {
    problem: "is no number of days",
    fix: "Give days as a number above 0, such as 30, or a time such as 12h, 30d or 4w.",
  },
  (given) => {
    const size = sizeOf(given, (text) => {
      const ms = millisecondsIn(text);
      return ms === undefined ? undefined : ms / DAY_MS;
    });
    return size !== undefined && size > 0 ? size : undefined;
  },
);

/** Bytes: `67108864`, `"64mb"`. */
export const bytes = value<number, number | string>(
  { problem: "is no number of bytes", fix: "Give a whole number above 0, such as 67108864, 512kb or 64mb." },
  (given) => {
    const size = sizeOf(given, bytesIn);
    return Number.isSafeInteger(size) && size! > 0 ? size : undefined;
  },
);

export const yesOrNo = value({ problem: "is neither true nor false", fix: "Give true or false." }, (given) =>
  typeof given === "boolean" ? given : undefined,
);

export function oneOf<const T extends string>(what: string, names: readonly T[]) {
  return value<T>(
    (given) => {
      const close = typeof given === "string" ? nearest(given, names) : undefined;
      const hint = close === undefined ? "" : `Did you mean ${close}? `;
      return { problem: `is no ${what}`, fix: `${hint}It is one of ${names.join(", ")}.` };
    },
    (given) => names.find((name) => name === given),
  );
}

export const anyNumber = value({ problem: "is no number", fix: "Give a number." }, (given) =>
  isNumber(given) ? given : undefined,
);

export function numberFrom(what: string, least: number, most: number) {
  return value({ problem: `is no ${what}`, fix: `Give a number from ${least} to ${most}.` }, (given) =>
    isNumber(given) && given >= least && given <= most ? given : undefined,
  );
}

/** A part of a whole. */
export const share = value(
  (given) => ({
    problem: "is no share",
    fix: `${isPercent(given) ? `Did you mean ${Number(given) / 100}? ` : ""}Give a number above 0 and up to 1, such as 0.4.`,
  }),
  (given) => (isNumber(given) && given > 0 && given <= 1 ? given : undefined),
);

/** Any text of at most so many characters. */
export function textUpTo(what: string, most = Number.MAX_SAFE_INTEGER, least: 0 | 1 = 0) {
  const length = [
    ...(least > 0 ? [`at least ${least}`] : []),
    ...(most < Number.MAX_SAFE_INTEGER ? [`at most ${most}`] : []),
  ].join(" and ");
  return value(
    (given) => ({
      problem: typeof given === "string" && given !== "" ? `is too long for a ${what}` : `is no ${what}`,
      fix: `Give a text${length === "" ? "" : ` of ${length} characters`}.`,
    }),
    (given) =>
      typeof given === "string" && given.length >= least && given.length <= most ? given : undefined,
  );
}

/** A text that isn't empty, and of the form that is wanted. */
export function text(what: string, fix: string, form: Pick<RegExp, "test"> = /./) {
  return value({ problem: `is no ${what}`, fix }, (given) =>
    typeof given === "string" && form.test(given) ? given : undefined,
  );
}

export const httpAddress = value(
  (given) =>
    typeof given === "string" && hasSecret(given)
      ? { problem: "holds a key or a password", fix: "Leave it out of the address and set apiKey instead." }
      : { problem: "is no address", fix: "Give the whole of it, such as https://api.openai.com/v1." },
  (given) =>
    typeof given === "string" &&
    /^https?:\/\//i.test(given) &&
    URL.canParse(given) &&
    new URL(given).hostname !== "" &&
    !hasSecret(given)
      ? given
      : undefined,
);

/** Objects with these keys and no others. */
export function object<const S extends z.ZodRawShape>(shape: S) {
  const names = Object.keys(shape).filter((name) => !name.startsWith("$"));
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys")
        return say({ problem: "is no object", fix: `Give an object; its keys are ${names.join(", ")}.` });
      const close = nearest(issue.keys[0] ?? "", names);
      const fix = close === undefined ? `The keys here are ${names.join(", ")}.` : `Did you mean ${close}?`;
      return say({ problem: UNKNOWN_KEY, fix });
    },
  });
}

/** Said of a key rather than of its value. */
export const UNKNOWN_KEY = "there is no such key";

/** `isNeeded`: the key can't be left out. */
export function listOf<T extends z.ZodType>(
  item: T,
  example: string,
  least = 0,
  { most = Number.MAX_SAFE_INTEGER, isNeeded = false } = {},
) {
  const fix = `Give a list such as ${example}${least > 0 && !isNeeded ? ", or leave the key out" : ""}.`;
  return z
    .array(item, { error: say({ problem: "is no list", fix }) })
    .min(least, { error: say({ problem: "is an empty list", fix }) })
    .max(most, { error: say({ problem: "has too many entries", fix: `Give at most ${most}.` }) });
}

/** An object whose keys are names of the host's own. */
export function mapOf<T extends z.ZodType>(item: T, example: string, name = /./) {
  return z.record(z.string().regex(name), item, {
    error: (issue) =>
      say(
        issue.code === "invalid_key"
          ? { problem: "can't have this name", fix: `Name it as in ${example}.` }
          : { problem: "is no object", fix: `Give an object such as ${example}.` },
      ),
  });
}

/** One of several kinds of values. */
export function anyOf<const T extends readonly [z.ZodType, ...z.ZodType[]]>(kinds: T, words: Words) {
  return z.union(kinds, { error: say(words) });
}

type Fields = Readonly<Record<string, z.ZodType>>;

/** Fields of an object, each of which may be left out. */
export const optional = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, type.optional()])) as {
    [K in keyof F]: z.ZodOptional<F[K]>;
  };
