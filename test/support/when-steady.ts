const LOOK_EVERY_MS = 20;
/** So many looks in a row must show the same. */
const LOOKS = 20;

/** Waits until a number doesn't change any more. A busy machine looks seldom, and what it looks at moves slowly as well. */
export async function whenSteady(number: () => number): Promise<void> {
  let last = number();
  for (let same = 0; same < LOOKS; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    same = number() === last ? same + 1 : 0;
    last = number();
  }
}
