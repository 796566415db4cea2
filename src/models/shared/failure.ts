import { listOf, obj, str } from "../../apis/shared/fields.ts";
import { ModelError, type ModelFailure } from "../../core/errors.ts";
import { isRecord, parseJson } from "../../core/json.ts";
import { overflowOf } from "./overflow.ts";
import { redact } from "./redact.ts";

/** What is known about a provider's refusal. */
export interface Refusal {
  readonly model: string;
  readonly status: number;
  /** The answer's text. */
  readonly body: string;
  readonly headers: HeaderReader;
  /** What must never be shown. */
  readonly secrets: readonly string[];
  readonly now: number;
}

/** Client errors that may pass by themselves: time-out, conflict, too early, too many. */
const RETRYABLE_4XX = new Set([408, 409, 425, 429]);
/** Not implemented, and a protocol version that isn't spoken: the same next time. */
const FINAL_5XX = new Set([501, 505]);
/** Anthropic's words for an empty account, which come as a 400. */
const NO_CREDIT = /credit balance is too low|insufficient (?:balance|credit)/i;
/** Google's words for a wrong key, which come as a 400. */
const BAD_KEY = /api key not valid|invalid api key|api key expired/i;
const NO_HEADERS: HeaderReader = { get: () => null };

/** Turns a provider's refusal into the error that says what to do about it. */
export function failureOf(refusal: Refusal): ModelError {
  const { model, body, headers, now } = refusal;
  const json = parseJson(body);
  const message = messageOf(json ?? body);
  // Routers answer 200 or 502 with the provider's own status inside.
  const status = statusInside(json) ?? refusal.status;
  const said = message === "" ? "" : `: ${redact(message, refusal.secrets)}`;
  const base = { model, status, message: `the provider answered ${status}${said}` };
  const overflow = overflowOf(status, body);
  if (overflow !== undefined) {
    const numbers =
      overflow.tokens === undefined || overflow.limit === undefined
        ? ""
        : ` (${overflow.tokens} tokens, ${overflow.limit} fit)`;
    return new ModelError({
      ...base,
      failure: "too-long",
      limit: overflow.limit,
      message: `the request doesn't fit the model's window${numbers}${said}`,
      fix: "Send less, or use a model with a larger window.",
    });
  }
  const kind = kindOf(status, json, message);
  const waitMs = retryAfterOf(headers, json, now);
  return new ModelError({
    ...base,
    failure: kind.failure,
    fix: kind.fix,
    retryable: kind.retryable && headers.get("x-should-retry") !== "false",
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  });
}

/** The refusal that stands inside an answer 200 (`{ "error": … }`), or undefined. */
export function failureInside(
  json: unknown,
  context: Pick<Refusal, "model" | "secrets" | "now">,
): ModelError | undefined {
  const error = isRecord(json) ? json["error"] : undefined;
  const hasError =
    (isRecord(error) && Object.keys(error).length > 0) || (typeof error === "string" && error !== "");
  if (!hasError) return undefined;
  const SERVER_FAULT = 500;
  return failureOf({ ...context, status: SERVER_FAULT, body: JSON.stringify(json), headers: NO_HEADERS });
}

interface Kind {
  readonly failure: ModelFailure;
  readonly retryable: boolean;
  readonly fix: string;
}

function kindOf(status: number, json: unknown, message: string): Kind {
  const codes = codesOf(json);
  if (
    codes.has("content_filter") ||
    codes.has("content_policy_violation") ||
    /content management policy/i.test(message)
  )
    return {
      failure: "refused",
      retryable: false,
      fix: "The provider's content filter stopped it: use another model.",
    };
  if (codes.has("insufficient_quota") || status === 402 || NO_CREDIT.test(message))
    return {
      failure: "rate-limited",
      retryable: false,
      fix: "The account has no credit left: check its plan and billing.",
    };
  if (status === 401 || status === 403 || (status === 400 && BAD_KEY.test(message)))
    return { failure: "auth", retryable: false, fix: "Check the API key and what it may use." };
  if (status === 429)
    return { failure: "rate-limited", retryable: true, fix: "Wait, or ask for a higher rate limit." };
  if (status === 404)
    return {
      failure: "bad-request",
      retryable: false,
      fix: "Check `baseURL` (it usually ends in /v1) and the model's name.",
    };
  if (status === 408 || status === 504)
    return { failure: "timeout", retryable: true, fix: "Try again, or use a faster model." };
  if (status >= 500)
    return { failure: "overloaded", retryable: !FINAL_5XX.has(status), fix: "Try again later." };
  return {
    failure: "bad-request",
    retryable: RETRYABLE_4XX.has(status),
    fix: "The provider's words say what it didn't like.",
  };
}

/** Whatever the provider called its message. */
function messageOf(body: unknown): string {
  if (typeof body === "string") return body.trimStart().startsWith("<") ? "" : body;
  if (Array.isArray(body)) return messageOf(body[0]);
  if (!isRecord(body)) return "";
  const error = body["error"];
  if (typeof error === "string") return error;
  const inner = obj(error);
  // A router says only "Provider returned error" and puts the provider's words beside it.
  const raw = obj(inner["metadata"])["raw"];
  if (typeof raw === "string" && raw !== "") return messageOf(parseJson(raw) ?? raw);
  return (
    str(inner["message"]) ||
    str(body["message"]) ||
    listOf(body["detail"])
      .map((item) => str(obj(item)["msg"]))
      .join("; ") ||
    str(body["detail"]) ||
    (isRecord(body["response"]) ? messageOf(body["response"]) : "")
  );
}

function codesOf(json: unknown): ReadonlySet<string> {
  const body = obj(Array.isArray(json) ? json[0] : json);
  const error = obj(body["error"]);
  const inner = obj(error["innererror"]);
  const fields = [body["code"], body["type"], error["code"], error["type"], error["status"], inner["code"]];
  return new Set(fields.map((field) => str(field).toLowerCase()));
}

/** `error.code` as an HTTP status, or the status that goes with Anthropic's error type. */
function statusInside(json: unknown): number | undefined {
  const error = obj(obj(Array.isArray(json) ? json[0] : json)["error"]);
  const code = error["code"];
  if (typeof code === "number" && code >= 400 && code < 600) return code;
  return STATUS_OF_TYPE[str(error["type"])];
}

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  authentication_error: 401,
  permission_error: 403,
  timeout_error: 504,
};

const MS_PER_SECOND = 1_000;
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: MS_PER_SECOND, ms: 1 };
/** Numbers from here on are points in time: seconds since 1970, or milliseconds from the second one on. */
const EPOCH_SECONDS_FROM = 1_000_000_000;
const EPOCH_MS_FROM = 1_000_000_000_000;

/** Providers' names for "how much is left" and "when it is full again". */
const LIMITS: readonly { readonly remaining: string; readonly reset: string }[] = [
  { remaining: "x-ratelimit-remaining-requests", reset: "x-ratelimit-reset-requests" },
  { remaining: "x-ratelimit-remaining-tokens", reset: "x-ratelimit-reset-tokens" },
  { remaining: "anthropic-ratelimit-requests-remaining", reset: "anthropic-ratelimit-requests-reset" },
  { remaining: "anthropic-ratelimit-tokens-remaining", reset: "anthropic-ratelimit-tokens-reset" },
  {
    remaining: "anthropic-ratelimit-input-tokens-remaining",
    reset: "anthropic-ratelimit-input-tokens-reset",
  },
  {
    remaining: "anthropic-ratelimit-output-tokens-remaining",
    reset: "anthropic-ratelimit-output-tokens-reset",
  },
  { remaining: "x-ratelimit-remaining", reset: "x-ratelimit-reset" },
  { remaining: "ratelimit-remaining", reset: "ratelimit-reset" },
];

/** What can be asked for a header by its lower-case name. */
export interface HeaderReader {
  get(name: string): string | null;
}

/**
 * How long a provider asked to wait, in milliseconds: `retry-after-ms`, `retry-after`, the answer's own words, then the
 * reset of a limit that is used up. Undefined when it didn't say.
 */
export function retryAfterOf(headers: HeaderReader, body: unknown, now: number): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const after = headers.get("retry-after");
  const wait = after === null ? undefined : waitOf(after, now);
  if (wait !== undefined) return wait;
  return fromBody(body) ?? fromLimits(headers, now);
}

/** `20`, `1.5s`, `6m0s`, an HTTP or ISO date, or a point in time. */
function waitOf(text: string, now: number): number | undefined {
  const value = text.trim();
  const number = Number(value);
  if (value !== "" && Number.isFinite(number)) {
    if (number >= EPOCH_MS_FROM) return Math.max(0, number - now);
    if (number >= EPOCH_SECONDS_FROM) return Math.max(0, number * MS_PER_SECOND - now);
    return number < 0 ? undefined : number * MS_PER_SECOND;
  }
  const duration = durationOf(value);
  if (duration !== undefined) return duration;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g))
    total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  return total;
}

/** Google's `retryDelay`, and OpenAI's "Please try again in 1m26.4s". */
function fromBody(body: unknown): number | undefined {
  const error = obj(obj(Array.isArray(body) ? body[0] : body)["error"]);
  for (const detail of listOf(error["details"])) {
    const delay = isRecord(detail) ? durationOf(str(detail["retryDelay"])) : undefined;
    if (delay !== undefined) return delay;
  }
  const said = /try again in ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)/i.exec(str(error["message"]));
  return said?.[1] === undefined ? undefined : durationOf(said[1]);
}

/** The longest reset among the limits that are used up. A limit with something left isn't what stopped us. */
function fromLimits(headers: HeaderReader, now: number): number | undefined {
  const waits = LIMITS.flatMap(({ remaining, reset }) => {
    if (headers.get(remaining)?.trim() !== "0") return [];
    const at = headers.get(reset);
    return at === null ? [] : (waitOf(at, now) ?? []);
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}
