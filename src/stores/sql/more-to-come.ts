/** Turns of the event loop that a batch waits for more writes at most. */
const MAX_TURNS = 4;

/** Requests that arrive together get the chance to be written together: waits as long as writes keep coming in. */
export async function moreToCome(count: () => number, enough: number): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const before = count();
    await new Promise((resolve) => setImmediate(resolve));
    if (count() === before || count() >= enough) return;
  }
}
