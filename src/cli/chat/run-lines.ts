import { createInterface } from "node:readline";
import type { Io } from "../io.ts";
import { createPaint } from "../paint.ts";
import { UsageError } from "../usage-error.ts";
import type { Screen } from "./screen.ts";
import type { ChatSession } from "./session.ts";
import { showMeter, takeLine } from "./turns.ts";

/** A line of stdin that can't be carried out: exit code 1, no stack. */
export class TurnError extends Error {
  override readonly name = "TurnError";
}

/** One turn per line of stdin. The first that fails ends it: a script that goes on would talk to nobody. */
export async function runLines(io: Io, session: ChatSession, screen: Screen): Promise<void> {
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const end = (): void => {
    lines.close();
    session.stop().catch(() => {});
  };
  io.signal.addEventListener("abort", end, { once: true });
  let open = true;
  try {
    for await (const line of lines) {
      io.signal.throwIfAborted();
      await takeLine(line, {
        session,
        screen,
        paint: createPaint(false),
        quit() {
          open = false;
        },
      }).catch(failTurn);
      if (!open) break;
      if (line.trim() !== "") await showMeter(session, screen);
    }
    io.signal.throwIfAborted();
  } finally {
    io.signal.removeEventListener("abort", end);
    lines.close();
  }
}

/** The command line was right: what was wrong with a line of stdin isn't in its help. */
function failTurn(error: unknown): never {
  throw error instanceof UsageError ? new TurnError(error.message, { cause: error }) : error;
}
