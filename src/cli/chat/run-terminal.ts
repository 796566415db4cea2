import { ApiFailure } from "../../gateway/api.ts";
import type { ChatSession } from "./session.ts";
import type { Terminal } from "./terminal.ts";
import { showMeter, takeLine } from "./turns.ts";

/** Reads and answers until a person leaves. */
export async function runTerminal(
  session: ChatSession,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  let open = true;
  signal.addEventListener("abort", () => terminal.close(), { once: true });
  while (open && !signal.aborted) {
    await showMeter(session, terminal).catch((error: unknown) => tell(terminal, error));
    const line = await terminal.read();
    if (line === undefined) return;
    try {
      await takeLine(line, {
        session,
        screen: terminal,
        paint: terminal.paint,
        quit() {
          open = false;
        },
      });
    } catch (error) {
      tell(terminal, error);
    }
  }
}

/** What went wrong ends a turn, not the chat. */
function tell(terminal: Terminal, error: unknown): void {
  if (error instanceof ApiFailure) terminal.notice("bad", Object.values(error.trouble).join(" "));
  else terminal.notice("bad", error instanceof Error ? error.message : String(error));
}
