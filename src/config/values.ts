import { z } from "zod";
import { type Fault, faultOf, nearest } from "../core/check.ts";
import { bytesIn, DAY_MS, millisecondsIn, sizeOf, written } from "./sizes.ts";

/** The parts of a fault within the one text that a schema's issue has. */
const BETWEEN = "\n";
const say = ({ problem, fix }: Fault): string => problem + BETWEEN + fix;

/** The words of an issue of the schemas below. */
export function wordsIn(message: string): Fault {
  const at = message.indexOf(BETWEEN);
  return at < 0
    ? { problem: `can't be: ${message}`, fix: "Give another value, or omit it." }
    : { problem: message.slice(0, at), fix: message.slice(at + BETWEEN.length) };
}

/** An address with a user or a password in it isn't repeated. */
export const hasSecret = (text: string): boolean => /\/\/[^/]*@/.test(text);

/** A value that `read` reads; what it can't is refused in these words. `I` is what may be given, for types. */
function value<O, I = O>(
  words: Fault | ((given: unknown) => Fault),
  read: (given: unknown) => O | undefined,
) {
  return z
    .custom<I>((given) => read(given) !== undefined, {
      error: ({ input }) => say(typeof words === "function" ? words(input) : words),
    })
    .transform((given) => read(given) as O);
}

const isNumber = (given: unknown): given is number => typeof given === "number" && Number.isFinite(given);

type Checked = Parameters<typeof faultOf>[0];

/** A value of a kind. */
export const ofKind = <O, I = O>(kind: Checked) =>
  value<O, I>(
    (given) => faultOf(kind, written(kind, given), true)!,
    (given) => {
      const read = written(kind, given);
      return faultOf(kind, read, true) ? undefined : (read as O);
    },
  );

export const wholeNumber = (what: string, least: number, most?: number) =>
  ofKind<number>({ is: "count", what, least, ...(most !== undefined && { most }) });
/** The size of a window or a budget: `8192`, `"32k"`, `"1m"`. */
export const tokens = ofKind<number, number | string>({ is: "size" });
/** Milliseconds: `30000`, `"30s"`, `"10m"`. */
export const duration = (least: number) => ofKind<number, number | string>({ is: "time", least });
export const yesOrNo = ofKind<boolean>({ is: "switch" });
export const oneOf = <const T extends string>(what: string, names: readonly T[]) =>
  ofKind<T>({ is: "choice", what, names });
/** Any text of at most so many characters. */
export const textUpTo = (what: string, most = Number.MAX_SAFE_INTEGER, least?: 1) =>
  ofKind<string>({ is: "text", what, most, ...(least && { least }) });

/** Days: `30`, `"12h"`, `"4w"`. */
export const days = value<number, number | string>(
  {
    problem: "isn't a number of days",
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
  {
    problem: "isn't a number of bytes",
    fix: "Give a whole number above 0, such as 67108864, 512kb or 64mb.",
  },
  (given) => {
    const size = sizeOf(given, bytesIn);
    return Number.isSafeInteger(size) && size! > 0 ? size : undefined;
  },
);

export const anyNumber = value({ problem: "isn't a number", fix: "Give a number." }, (given) =>
  isNumber(given) ? given : undefined,
);

/** A text that isn't empty, and of the form that is wanted. */
export function text(what: string, fix: string, form: Pick<RegExp, "test"> = /./) {
  return value({ problem: `isn't a ${what}`, fix }, (given) =>
    typeof given === "string" && form.test(given) ? given : undefined,
  );
}

export const httpAddress = value(
  (given) =>
    typeof given === "string" && hasSecret(given)
      ? { problem: "holds a key or a password", fix: "Leave it out of the address and set apiKey instead." }
      : { problem: "isn't a URL", fix: "Give all of it, such as https://api.openai.com/v1." },
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
        return say({ problem: "isn't an object", fix: `Give an object; its keys are ${names.join(", ")}.` });
      const close = nearest(issue.keys[0] ?? "", names);
      const fix = close === undefined ? `The keys here are ${names.join(", ")}.` : `Did you mean ${close}?`;
      return say({ problem: UNKNOWN_KEY, fix });
    },
  });
}

/** Said of a key rather than of its value. */
export const UNKNOWN_KEY = "unknown key";

/** `isNeeded`: the key can't be left out. */
export function listOf<T extends z.ZodType>(
  item: T,
  example: string,
  least = 0,
  { most = Number.MAX_SAFE_INTEGER, isNeeded = false } = {},
) {
  const fix = `Give a list such as ${example}${least > 0 && !isNeeded ? ", or leave the key out" : ""}.`;
  return z
    .array(item, { error: say({ problem: "isn't a list", fix }) })
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
          : { problem: "isn't an object", fix: `Give an object such as ${example}.` },
      ),
  });
}

/** One of several kinds of values. */
export function anyOf<const T extends readonly [z.ZodType, ...z.ZodType[]]>(kinds: T, words: Fault) {
  return z.union(kinds, { error: say(words) });
}

type Fields = Readonly<Record<string, z.ZodType>>;

/** Fields of an object, each of which may be left out. */
export const optional = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, type.optional()])) as {
    [K in keyof F]: z.ZodOptional<F[K]>;
  };
