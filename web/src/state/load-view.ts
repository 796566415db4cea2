/** What is known of the server, for a view whose script has to be fetched from it. */
export interface Surroundings {
  isReachable(): Promise<boolean>;
  /** Resolves when it is worth trying again. */
  isBack(): Promise<void>;
  onAway(): void;
  /** The page is loaded anew. */
  reload(): void;
}

/**
 * Fetches the script of a view, and waits for the server where it is away. A browser may remember that a script didn't come
 * and not ask for it again: then the whole page is loaded anew. A script that a server which is there doesn't give is an error.
 */
export async function loadView<V>(
  load: () => Promise<V>,
  around: Surroundings,
  /** Whoever waited has left. */
  left: AbortSignal,
): Promise<V | undefined> {
  let wasAway = false;
  while (!left.aborted) {
    try {
      return await load();
    } catch (error) {
      const isReachable = await around.isReachable();
      if (left.aborted) return undefined;
      if (isReachable && !wasAway) throw error;
      if (isReachable) {
        around.reload();
        return undefined;
      }
    }
    wasAway = true;
    around.onAway();
    await around.isBack();
  }
  return undefined;
}
