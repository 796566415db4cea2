/** Runs tasks, at most so many at a time. After a failure no further one is begun. */
export type AtOnce = <T>(task: () => Promise<T>) => Promise<T>;

export function createAtOnce(most: number): AtOnce {
  const waiting: (() => void)[] = [];
  let running = 0;
  let failure: { readonly error: unknown } | undefined;
  return async (task) => {
    while (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    // What is under way may end: its answers are paid for, and the next run uses them.
    if (failure !== undefined) throw failure.error;
    running += 1;
    try {
      return await task();
    } catch (error) {
      failure ??= { error };
      throw error;
    } finally {
      running -= 1;
      for (const next of waiting.splice(0)) next();
    }
  };
}

/** Waits for all, then fails with the first failure: nothing is left running behind the caller's back. */
export async function allDone<T>(tasks: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(tasks);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}
