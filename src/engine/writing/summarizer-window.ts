import { ModelError } from "../../core/errors.ts";
import type { Model } from "../../core/types.ts";
import { modelInfo } from "../../tokens/index.ts";

/** A model that says "too long" gets pieces of this share from then on. */
const SMALLER = 0.7;
/** So often a piece is made smaller for one summary at most. */
export const MOST_SHORTENED = 4;

/** What models turned out to have room for. */
const learned = new WeakMap<Model, number>();

/** The window of a summariser: what it said, or what it was found to be (tokens). */
export function summarizerWindow(model: Model): number {
  return learned.get(model) ?? model.window ?? modelInfo(model.id).window;
}

/** Remembers that a model refused a piece as too long; false if the error says something else. */
export function learnFrom(model: Model, error: unknown): boolean {
  if (!(error instanceof ModelError) || error.failure !== "too-long") return false;
  learned.set(model, Math.floor(summarizerWindow(model) * SMALLER));
  return true;
}
