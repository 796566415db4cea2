import type { Compactor, FitInput, FitResult, StopReason, Usage } from "../../core/types.ts";
import { type Overflow, overflowOf } from "../../models/index.ts";
import type { Compactors } from "./options.ts";

/** So often a request is made smaller at most. */
const MOST_RETRIES = 4;

/** One request on its way: the transcript, and how a view of it is sent. */
export interface Sending<M, A> {
  readonly compactors: Compactors<M>;
  readonly model: string | undefined;
  readonly transcript: readonly M[];
  readonly input: FitInput<M>;
  readonly onView?: ((view: FitResult<M>) => void) | undefined;
  send(view: FitResult<M>): PromiseLike<A>;
}

/** An answer, and the view that it answers. */
export interface Sent<M, A> {
  readonly answer: A;
  readonly view: FitResult<M>;
}

/** Sends a view of the transcript. Where the provider says that it is too long, a smaller one is made and sent. */
export async function sendFitted<M, A>(sending: Sending<M, A>): Promise<Sent<M, A>> {
  const { compactors, model, transcript, input, onView, send } = sending;
  let view = await compactors.of(model).fit(transcript, input);
  for (let tries = 0; ; tries++) {
    onView?.(view);
    try {
      return { answer: await send(view), view };
    } catch (error) {
      const overflow = tries < MOST_RETRIES ? overflowOfError(error) : undefined;
      const smaller = overflow && (await shrink(sending, view, overflow));
      // The provider's own error tells more than ours would.
      if (!smaller) throw error;
      view = smaller;
    }
  }
}

/** A smaller view, or one that leaves less for the answer. Undefined if neither can be made. */
async function shrink<M, A>(
  { compactors, model, transcript, input }: Sending<M, A>,
  refused: FitResult<M>,
  { tokens, limit }: Overflow,
): Promise<FitResult<M> | undefined> {
  const { window = Number.POSITIVE_INFINITY } = refused.report.budget;
  const learned = limit !== undefined && limit < window;
  if (learned) compactors.learnWindow(model, limit);
  try {
    const smaller = await compactors.of(model).fit(transcript, {
      ...input,
      state: refused.state,
      rejected: { ...(tokens !== undefined && { tokens }), ...(limit !== undefined && { limit }) },
    });
    return learned || smaller.report.tokens.after < refused.report.tokens.after ? smaller : undefined;
  } catch {
    return undefined;
  }
}

/** A view that the provider counted before it was sent, and that doesn't fit. */
export class CountedTooLong extends Error {
  readonly tokens: number;

  constructor(tokens: number) {
    super(`The provider counts ${tokens} tokens, which don't fit.`);
    this.tokens = tokens;
  }
}

/** The fields in which SDKs carry a provider's answer, the most telling first. */
interface SdkError {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
  readonly error?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

/** Reads a provider's "too long" out of the error that an SDK throws for it. */
export function overflowOfError(error: unknown): Overflow | undefined {
  if (typeof error === "string") return overflowOf(BAD_REQUEST, error);
  if (typeof error !== "object" || error === null) return undefined;
  if (error instanceof CountedTooLong) return { tokens: error.tokens };
  const { status, statusCode, responseBody, error: inner, message, cause } = error as SdkError;
  const code = [status, statusCode].find((value) => typeof value === "number") ?? BAD_REQUEST;
  for (const body of [responseBody, inner, message]) {
    const found = body === undefined ? undefined : overflowOf(code, body);
    if (found) return found;
  }
  return cause === undefined || cause === error ? undefined : overflowOfError(cause);
}

export const BAD_REQUEST = 400;

/** What a provider told about an answer. */
export interface Learned {
  readonly usage?: Usage | undefined;
  readonly stop?: StopReason | undefined;
}

/** Learns from an answer: how the provider counts, and how long its answers are. Never fails a request that was answered. */
export async function learn<M>(
  compactor: Compactor<M>,
  { report }: Pick<FitResult<M>, "report">,
  { usage, stop }: Learned,
): Promise<void> {
  if (!usage || !(usage.input > 0)) return;
  await compactor
    .observe({
      usage,
      report,
      ...(report.tokens.atMost ? {} : { tokens: report.tokens.after + report.budget.tools }),
      ...(stop && { stop }),
    })
    .catch(() => undefined);
}
