import { ModelError } from "../../core/errors.ts";
import type { Model } from "../../core/types.ts";
import { timeLimit } from "../../models/shared/retry.ts";
import { modelInfo } from "../../tokens/index.ts";
import { settledInTime } from "./jobs.ts";

/** A model that says "too long" without a number gets pieces of this share from then on: much smaller ones at first, then a little. */
const MUCH_SMALLER = 0.4;
const SMALLER = 0.7;
/** So often a piece is made smaller for one summary at most. */
export const MOST_SHORTENED = 4;
/** A server that doesn't tell its window at once isn't waited for (milliseconds). */
const ASK_MS = 3_000;
/** A window that no model has: what a server says below it is something else (tokens). */
const LEAST_WINDOW = 1_024;

/** What models turned out to have room for. */
const learned = new WeakMap<Model, number>();
/** Models whose servers were asked. */
const asked = new WeakMap<Model, Promise<void>>();

/** The window of a summariser: what it said, or what it was found to be (tokens). */
export function summarizerWindow(model: Model): number {
  return ownWindow(model) ?? modelInfo(model.id).window;
}

/** The same, where a host or a server said it of this very model; undefined where only its name tells something. */
export function ownWindow(model: Model): number | undefined {
  return learned.get(model) ?? model.window;
}

/**
 * Asks a model's server how large its window is, once, where neither the host nor the registry knows: the least that a
 * model might have would make dozens of small requests out of one.
 */
export async function learnWindow(model: Model, signal: AbortSignal): Promise<void> {
  if (model.findWindow === undefined || model.window !== undefined || modelInfo(model.id).known) return;
  const question = asked.get(model) ?? askWindow(model);
  asked.set(model, question);
  await question;
  signal.throwIfAborted();
}

async function askWindow(model: Model): Promise<void> {
  const window = await answerOf(model);
  if (window !== undefined && Number.isFinite(window) && window >= LEAST_WINDOW && !learned.has(model))
    learned.set(model, Math.floor(window));
}

/** What the server says. A model of the host's own may throw, or heed no signal: then nobody knows. */
async function answerOf(model: Model): Promise<number | undefined> {
  try {
    const answer = Promise.resolve(model.findWindow?.(timeLimit(ASK_MS)));
    return (await settledInTime(answer, ASK_MS)) ? await answer : undefined;
  } catch {
    return undefined;
  }
}

/** Did a model refuse a request as too long? */
export function isTooLong(error: unknown): error is ModelError {
  return error instanceof ModelError && error.failure === "too-long";
}

/** Remembers that a model refused a request of so many tokens as too long: the window that it named, or less than that request. */
export function learnFrom(model: Model, error: unknown, asked: number): void {
  if (!isTooLong(error)) return;
  const window = summarizerWindow(model);
  const isNamed = error.limit !== undefined && error.limit >= LEAST_WINDOW && error.limit < window;
  const share = learned.has(model) ? SMALLER : MUCH_SMALLER;
  learned.set(model, isNamed ? error.limit : Math.floor(Math.min(window, asked) * share));
}
