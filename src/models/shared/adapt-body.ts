import type { Json as Body } from "../../apis/shared/fields.ts";
import type { ModelError } from "../../core/errors.ts";

/** Fields that a summary can do without. */
const OPTIONAL = ["temperature", "metadata", "store"] as const;
/** The names of the answer's cap. */
const CAPS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;
const REFUSED =
  /unsupported|unknown|unrecogni[sz]ed|unexpected|not supported|does ?n[o']t support|not permitted|not allowed|deprecated|only the default|may only be set|not one of|extra/i;

/** What is known about a request beside its body. */
export interface AdaptContext {
  /** What was changed before: each change is made once. */
  readonly done: Set<string>;
  /** Fields that came with the conversation's own request: they stay. */
  readonly own: ReadonlySet<string>;
  /** The answer's cap as it was asked for, without the room to think. */
  readonly cap: number;
}

/** The body that a provider which refused this one is likely to take, or undefined. */
export function adaptBody(body: Body, error: ModelError, context: AdaptContext): Body | undefined {
  const { done, own } = context;
  const once = (change: string): boolean => {
    if (done.has(change)) return false;
    done.add(change);
    return true;
  };
  if (error.failure === "too-long") {
    // Servers that add the cap to the input: without the room to think it may fit.
    const name = CAPS.find((field) => Number(body[field]) > context.cap);
    return name !== undefined && body["thinking"] === undefined && once("room")
      ? { ...body, [name]: context.cap }
      : undefined;
  }
  if (error.failure !== "bad-request") return undefined;
  const text = error.message;
  for (const field of OPTIONAL)
    if (field in body && !own.has(field) && names(text, field) && REFUSED.test(text) && once(field))
      return without(body, field);
  if (
    body["stream"] === false &&
    /stream/i.test(text) &&
    /must be (?:set to )?true|only support/i.test(text) &&
    once("stream")
  )
    return { ...body, stream: true };
  for (const cap of CAPS) {
    const value = body[cap];
    if (typeof value !== "number" || !/max_|tokens/.test(text)) continue;
    const most = mostOf(text);
    if (most !== undefined && most < value && once("cap")) return { ...body, [cap]: most };
    const other =
      cap === "max_tokens"
        ? "max_completion_tokens"
        : cap === "max_completion_tokens"
          ? "max_tokens"
          : undefined;
    if (other !== undefined && names(text, cap) && REFUSED.test(text) && once("cap-name"))
      return renamed(body, cap, other);
  }
  return undefined;
}

/** The field's name as a word, not as a part of another one (`max_tokens` in `max_tokens_to_sample`). */
const names = (text: string, field: string): boolean =>
  new RegExp(`(?<![\\w])${field}(?![\\w])`, "i").test(text);

/** The largest cap that a provider said it takes. */
function mostOf(text: string): number | undefined {
  const said =
    /supports at most (\d+) completion tokens/i.exec(text) ??
    />\s*(\d+), which is the maximum allowed number of output tokens/i.exec(text) ??
    /max\w{0,30}tokens\W{1,5}must be (?:less than or equal to|<=)\s*`?(\d+)/i.exec(text) ??
    /exceeds the model limit of (\d+)/i.exec(text);
  const most = Number(said?.[1]);
  return Number.isFinite(most) && most > 0 ? most : undefined;
}

function without(body: Body, field: string): Body {
  const { [field]: _, ...rest } = body;
  return rest;
}

/** The same field under another name, in the same place. */
function renamed(body: Body, from: string, to: string): Body {
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key === from ? to : key, value]));
}
