import { vi } from "vitest";
import type { FakeRequest } from "../../src/testing/index.ts";

/** Says on the wire which request of the client this is. */
const NUMBER_HEADER = "x-test-request";

/**
 * Deadlines of summaries without a clock. They are over as soon as every request under way hangs for good, which is what
 * a clock would find too, and never before, however slow the machine is.
 */
export interface HandDrivenDeadlines {
  /** How the model sends its requests. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** The provider never answers this request. */
  hangs(request: FakeRequest): void;
  /** How often a deadline was over. */
  over(): number;
  /** Gives the clock back. */
  restore(): void;
}

export function handDrivenDeadlines(): HandDrivenDeadlines {
  const deadlines = new Set<AbortController>();
  const underWay = new Set<string>();
  const hanging = new Set<string>();
  let requests = 0;
  let over = 0;
  const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const deadline = new AbortController();
    deadlines.add(deadline);
    return deadline.signal;
  });
  const look = (): void => {
    if (hanging.size === 0 || hanging.size < underWay.size) return;
    for (const deadline of deadlines) deadline.abort(new DOMException("Time is up.", "TimeoutError"));
    deadlines.clear();
    over++;
  };
  return {
    async fetch(url, init) {
      const number = String(requests++);
      underWay.add(number);
      try {
        const headers = { ...(init.headers as Record<string, string>), [NUMBER_HEADER]: number };
        const response = await fetch(url, { ...init, headers });
        // Its body is on its way as well.
        return new Response(await response.arrayBuffer(), response);
      } finally {
        underWay.delete(number);
        hanging.delete(number);
        // What the engine does with an answer, another request perhaps, comes first.
        setImmediate(look);
      }
    },
    hangs({ headers }) {
      const number = headers[NUMBER_HEADER];
      // A request that was given up on its way here hangs for nobody.
      if (number === undefined || !underWay.has(number)) return;
      hanging.add(number);
      look();
    },
    over: () => over,
    restore: () => spy.mockRestore(),
  };
}
