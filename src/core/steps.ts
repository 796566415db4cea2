/**
 * Long work in small steps: it stops at each `yield`, and whoever runs it decides what happens in between. A library call
 * runs all of it at once; a server lets others have their turn. The work is written once for both.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Maps a long list, one item in a step. */
export function* mapSteps<A, B>(items: readonly A[], map: (item: A, at: number) => B): Steps<B[]> {
  const mapped: B[] = [];
  for (let at = 0; at < items.length; at++) {
    mapped.push(map(items[at]!, at));
    yield;
  }
  return mapped;
}

/** Keeps what is true of the test, one item in a step. */
export function* filterSteps<A>(items: readonly A[], test: (item: A) => boolean): Steps<A[]> {
  const kept: A[] = [];
  for (const item of items) {
    if (test(item)) kept.push(item);
    yield;
  }
  return kept;
}

/** Runs all steps at once. */
export function runNow<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
