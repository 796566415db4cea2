import { createInterface } from "node:readline";
import { ApiFailure, inForce, routes } from "../../gateway/api.ts";
import { UsageError } from "../flags.ts";
import { createPaint, type Io, type Paint } from "../io.ts";
import { FileError } from "../read-lines.ts";
import { isCommand, runCommand } from "./commands.ts";
import type { Screen } from "./screen.ts";
import type { ChatSession } from "./session.ts";
import type { Terminal } from "./terminal.ts";

/** Carries out one line of a chat: a command, or something that is said. */
async function takeLine(
  line: string,
  options: {
    readonly session: ChatSession;
    readonly screen: Screen;
    readonly paint: Paint;
    readonly quit: () => void;
  },
): Promise<void> {
  const { session, screen, paint, quit } = options;
  if (line.trim() === "") return;
  try {
    if (isCommand(line)) {
      await runCommand(line, {
        session,
        paint,
        columns: screen.columns,
        output: screen.output,
        notice: ({ tone, text }) => screen.notice(tone, text),
        quit,
      });
      return;
    }
    screen.busy(session.offline ? "looking" : "waiting for the answer");
    const outcome = await session.say(line.trim(), {
      text: screen.text,
      reasoning: screen.reasoning,
    });
    screen.endAnswer(outcome === "stopped");
  } finally {
    screen.busy(undefined);
  }
}

/** Reads the meter from the server, so that it is the number that the page and the trigger have. */
export async function showMeter(session: ChatSession, screen: Screen): Promise<void> {
  const [pressure, conversation, answer] = await Promise.all([
    session.pressure(),
    session.conversation(),
    session.api.call(routes.settings),
  ]);
  if (pressure === undefined || answer.settings.showMeter === false) {
    screen.meter(undefined);
    return;
  }
  screen.meter({
    pressure,
    model: session.offline ? OFFLINE_NAME : (pressure.model ?? "no model"),
    auto: inForce("auto", { answer, chat: conversation?.settings }).value !== false,
  });
}

/** The label of the assistant that is none. */
export const OFFLINE_NAME = "offline assistant";

/** Said when a chat begins without a model. */
export const OFFLINE_NOTE =
  "No model is configured. The offline assistant isn't a language model: it only quotes this conversation.";
export const OFFLINE_HOW =
  "To chat with a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start with --upstream and a local server. precis doctor shows what this machine has.";

/** One turn per line of stdin. The first that fails ends it: a script that goes on would talk to nobody. */
export async function runLines(io: Io, session: ChatSession, screen: Screen): Promise<void> {
  // Ctrl-C may have come while the chat was being opened.
  io.signal.throwIfAborted();
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
  throw error instanceof UsageError ? new FileError(error.message, { cause: error }) : error;
}

/** Reads and answers until a person leaves. */
export async function runTerminal(
  session: ChatSession,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  let open = true;
  signal.addEventListener("abort", () => terminal.close(), { once: true });
  while (open && !signal.aborted) {
    await showMeter(session, terminal).catch((error: unknown) => showFailure(terminal, error));
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
      showFailure(terminal, error);
    }
  }
}

/** What went wrong ends a turn, not the chat. */
function showFailure(terminal: Terminal, error: unknown): void {
  if (error instanceof ApiFailure) terminal.notice("bad", Object.values(error.trouble).join(" "));
  else terminal.notice("bad", error instanceof Error ? error.message : String(error));
}
