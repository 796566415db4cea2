import { inForce, routes } from "../../gateway/api.ts";
import type { Paint } from "../paint.ts";
import { isCommand, runCommand } from "./commands.ts";
import { OFFLINE_NAME } from "./offline-words.ts";
import type { Screen } from "./screen.ts";
import type { ChatSession } from "./session.ts";

/** Carries out one line of a chat: a command, or something that is said. */
export async function takeLine(
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
      call: (name) => screen.notice("accent", `calls ${name}`),
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
