/**
 * Long work in small steps: it stops at each `yield`, and whoever runs it decides what happens in between. A library call
 * runs all of it at once; a server lets others have their turn. The work is written once for both.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps at once. */
export function runNow<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
