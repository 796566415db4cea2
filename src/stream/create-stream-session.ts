import { ConfigError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { createCore, pendingTokens, resetCore, type SessionCore } from "./core.ts";
import { writeProgress } from "./progress.ts";
import type { StreamOptions } from "./settings.ts";
import { framesItem, manage, type Speech, step } from "./step.ts";
import type { PushResult, Said, StreamEvent, StreamRole, StreamSession, StreamTrace } from "./types.ts";

/** What waits is fed without a frame when it fills this share of the cache: captions may come without end. */
const MAX_PENDING_SHARE = 1 / 8;

/**
 * An assistant that watches a stream for as long as it lasts, on a cache that never outgrows its window.
 *
 * @example
 * import { charsCounter } from "precis/tokens";
 *
 * const session = createStreamSession({
 *   cache: countingCache({ counter: charsCounter() }),
 *   window: 4_096,
 *   strategy: "summarize-and-drop",
 *   systemPrompt: "You help with a repair.",
 *   tokensPerFrame: 10,
 *   speak: false,
 * });
 * await session.push({ type: "turn", role: "user", text: "I want to change the chain of my bike." });
 * for (let frame = 0; frame < 1_000; frame++) await session.push({ type: "frames" });
 * session.status().tokens <= 4_096; // true
 * session.trace[0]?.summary?.includes("I want to change the chain of my bike."); // true
 */
export function createStreamSession(options: StreamOptions): StreamSession {
  const core = createCore(options);
  const { settings } = core;
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => {});
    return result;
  };

  const takeStep = async (speech: Speech): Promise<PushResult> => {
    const { said, managed } = await step(core, speech);
    options.onStep?.({
      step: core.steps,
      time: core.time,
      frame: core.frames,
      tokens: core.ledger.length,
      pending: pendingTokens(core),
      said: said?.text,
      managed: managed.length > 0,
    });
    return { said: said === undefined ? [] : [said], managed };
  };

  return {
    push: (event) =>
      inTurn(async () => {
        checkEvent(event);
        if (event.type === "frames") return pushFrames(core, event, takeStep);
        core.time = Math.max(core.time, event.time ?? 0);
        core.pending.push({ type: "turn", role: event.role, text: event.text, at: core.time });
        if (event.role === "system") core.head.note(event.text);
        else core.notes.add(event.role, event.text);
        if (event.role === "user") {
          core.anchorDue ||= core.anchor === undefined;
          return takeStep(settings.speak === undefined ? "none" : "answer");
        }
        const isMuch = pendingTokens(core) > settings.limit * MAX_PENDING_SHARE;
        return isMuch ? takeStep("none") : { said: [], managed: [] };
      }),
    flush: () => inTurn(() => (core.pending.length > 0 ? takeStep("none") : nothing())),
    compact: () => inTurn(() => manage(core, "asked")),
    summarize: () =>
      inTurn(async () => {
        const snapshot = await core.cache.snapshot();
        try {
          const { text, rungs } = await writeProgress(core, settings.summaryCap);
          return { text, rungs };
        } finally {
          await core.cache.restore(snapshot);
        }
      }),
    setSteps(steps) {
      core.hostSteps = steps;
    },
    contents: () => [...core.ledger.entries()],
    pending: () => [...core.pending],
    status: () => ({
      time: core.time,
      frames: core.frames,
      steps: core.steps,
      tokens: core.ledger.length,
      pending: pendingTokens(core),
      window: settings.window,
      reserve: settings.reserve,
      limit: settings.limit,
    }),
    trace: core.trace,
    reset: () =>
      inTurn(async () => {
        await core.cache.reset();
        resetCore(core);
      }),
  };
}

export const STREAM_ROLES: readonly StreamRole[] = ["system", "user", "assistant", "caption"];

/** Refuses what types would have refused: hosts in JavaScript have none. */
function checkEvent(event: unknown): void {
  const { type, role, text, time } = (isRecord(event) ? event : {}) as Readonly<Record<string, unknown>>;
  const refuse = (option: string, message: string): never => {
    throw new ConfigError({
      option,
      message,
      fix: 'Give `{ type: "frames", count: 2 }` or `{ type: "turn", role: "user", text: "…" }`.',
    });
  };
  if (type !== "frames" && type !== "turn") refuse("event", "it is neither frames nor a turn.");
  if (time !== undefined && time !== null && !Number.isFinite(time))
    refuse("time", `${String(time)} isn't a number of seconds since the beginning.`);
  if (type === "frames") return;
  if (!STREAM_ROLES.some((known) => known === role))
    refuse("role", `${String(role)} isn't one of ${STREAM_ROLES.join(", ")}.`);
  if (typeof text !== "string") refuse("text", "a turn has no text.");
}

const nothing = async (): Promise<PushResult> => ({ said: [], managed: [] });

/** Frames one by one where each may be a reason to speak; otherwise as many at a time as fit. */
async function pushFrames(
  core: SessionCore,
  event: Extract<StreamEvent, { type: "frames" }>,
  takeStep: (speech: Speech) => Promise<PushResult>,
): Promise<PushResult> {
  const { fps, speak } = core.settings;
  const count = event.count ?? event.images?.length ?? 1;
  if (!Number.isInteger(count) || count < 0 || (event.images !== undefined && event.images.length !== count))
    throw new ConfigError({
      option: "count",
      message: `${count} frames with ${event.images?.length ?? "no"} images.`,
      fix: "Give a whole number of frames, and one image for each or none.",
    });
  const until = event.time ?? core.time + count / fps;
  const said: Said[] = [];
  const managed: StreamTrace[] = [];
  const each = speak === undefined ? count : 1;
  for (let done = 0; done < count; done += each) {
    const first = until - (count - 1 - done) / fps;
    const last = until - (count - done - each) / fps;
    const images = event.images?.slice(done, done + each);
    const item = framesItem(core, {
      count: each,
      at: Math.max(0, first),
      until: Math.max(0, last),
      ...(images === undefined ? {} : { images }),
    });
    core.time = Math.max(core.time, item.until);
    core.frames += each;
    core.lastFrame = item;
    core.pending.push(item);
    const isTime = speak !== undefined && core.time - core.lastAsked >= speak.everySeconds;
    const result = await takeStep(isTime ? "maybe" : "none");
    for (const one of result.said) said.push(one);
    for (const one of result.managed) managed.push(one);
  }
  return { said, managed };
}
