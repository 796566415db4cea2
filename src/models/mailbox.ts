import { ConfigError, ModelError } from "../core/errors.ts";
import type { Model, ModelRequest } from "../core/types.ts";
import { openFolder, type Place, takeReply } from "./mailbox/folder.ts";
import { timeLimit, timer } from "./shared/retry.ts";

const PREFIX = "mailbox:";

/** The folder in `mailbox:DIR`, the way a mailbox is written where a model is named; undefined for any other name. */
export function mailboxDir(name: string): string | undefined {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
}

/** What `mailbox` takes. */
export interface MailboxOptions {
  /** The folder for requests and replies. It is made if it isn't there. */
  readonly dir: string;
  /** The context size of whoever answers. Default 200,000 tokens. */
  readonly window?: number;
  /** How long a reply is waited for. Default one hour. */
  readonly timeoutMs?: number;
  /** How often it is looked for. Default 500 ms. */
  readonly pollMs?: number;
}

const DEFAULTS = { window: 200_000, timeoutMs: 3_600_000, pollMs: 500 };

/**
 * A model that is a folder: each request becomes a file, and the reply is taken from another file. So any other program,
 * or a person, can be the model. A `README.txt` in the folder says how to answer. It needs Node.
 *
 * Requests are named after their content. After a restart the same request finds the reply that came in the meantime.
 *
 * @example
 * const model = mailbox({ dir: "./letters", timeoutMs: 600_000 });
 * model.id; // "mailbox:./letters"
 */
export function mailbox(options: MailboxOptions): Model {
  const { dir } = options;
  if (typeof dir !== "string" || dir.trim() === "")
    throw new ConfigError({
      option: "dir",
      message: "it is empty.",
      fix: 'Name a folder: mailbox({ dir: "./letters" }).',
    });
  const settings = { ...DEFAULTS, ...options };
  for (const name of ["window", "timeoutMs", "pollMs"] as const) check(name, settings[name]);
  const id = `${PREFIX}${dir}`;
  const folder = openFolder(id, dir);
  return {
    id,
    window: settings.window,
    async complete(request) {
      if (request.continues !== undefined) throw cannotContinue(id);
      const limit = timeLimit(settings.timeoutMs);
      const stop = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
      if (stop.aborted) throw ended(id, settings.timeoutMs, request);
      const place = await folder.post(request);
      try {
        return await wait(id, place, settings.pollMs, stop);
      } catch (error) {
        await place.withdraw();
        throw stop.aborted ? ended(id, settings.timeoutMs, request) : error;
      } finally {
        place.leave();
      }
    },
  };
}

/** Looks for the reply until it is there and has stopped growing. */
async function wait(id: string, place: Place, pollMs: number, stop: AbortSignal) {
  let before: string | undefined;
  for (;;) {
    stop.throwIfAborted();
    const found = await place.find();
    // Somebody may still be writing: a reply counts once it has stayed the same between two looks.
    if (found !== undefined && found.mark === before) {
      const reply = await takeReply(id, place, found);
      if (reply !== undefined) return reply;
    }
    before = found?.mark;
    await timer(pollMs, stop);
  }
}

function ended(id: string, timeoutMs: number, { signal }: ModelRequest): ModelError {
  const isCallers = signal?.aborted === true;
  const isTimeout = !isCallers || (signal.reason instanceof Error && signal.reason.name === "TimeoutError");
  return new ModelError({
    model: id,
    failure: isTimeout ? "timeout" : "cancelled",
    message: !isTimeout
      ? "the request was cancelled."
      : isCallers
        ? "the caller's time limit was reached."
        : `no reply within ${timeoutMs} ms.`,
    fix: isTimeout
      ? "Answer the files in the folder sooner, or give more time."
      : "Nothing needs to be done.",
    retryable: isTimeout,
    ...(signal?.aborted ? { cause: signal.reason } : {}),
  });
}

function cannotContinue(id: string): ModelError {
  return new ModelError({
    model: id,
    failure: "bad-request",
    message: "a mailbox can't continue a conversation's own request.",
    fix: "Leave `continues` out.",
  });
}

function check(option: "window" | "timeoutMs" | "pollMs", value: number): void {
  if (Number.isInteger(value) && value > 0) return;
  throw new ConfigError({
    option,
    message: `${String(value)} is not a whole number above 0.`,
    fix: `Leave it out for the default of ${DEFAULTS[option]}.`,
  });
}
