import { saidText } from "../core/message-text.ts";
import { type ApiClient, type ApiConversation, type ApiMessage, routes } from "../gateway/api.ts";
import { beginning, newest } from "./chat/choose.ts";
import { type Connection, connect, followEvents, resumeLine } from "./chat/connect.ts";
import { jsonScreen, lineScreen } from "./chat/line-screen.ts";
import type { Screen } from "./chat/screen.ts";
import { type ChatSession, createChatSession } from "./chat/session.ts";
import { createTerminal, type Terminal } from "./chat/terminal.ts";
import { OFFLINE_HOW, OFFLINE_NAME, OFFLINE_NOTE, runLines, runTerminal, showMeter } from "./chat/turns.ts";
import { conversationsText, messagesText } from "./chat/view-text.ts";
import { columnsOf, type Io } from "./io.ts";
import { SERVER_FLAGS } from "./open-database.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";

export const chatLine: CommandLine = {
  name: "chat",
  summary: "A conversation in the terminal that never overflows: the same one that the page shows.",
  usage: "precis chat [--resume [ID]] [flags]",
  flags: {
    resume: {
      help: "go on with the conversation ID (or a short one, as --list shows it); without ID: the newest",
    },
    list: { help: "list the conversations and end" },
    model: {
      value: "M",
      help: "the model that answers (default: the one in the settings, or the last one used)",
    },
    system: { value: "TEXT", help: "the system prompt of a new conversation" },
    ...SERVER_FLAGS,
    window: { value: "N", help: "the model's window in tokens (32k), for this chat" },
    server: { value: "URL", help: "chat through a precis serve that is running (http://127.0.0.1:8787)" },
    "key-env": { value: "NAME", help: "with --server: the variable that holds its client key" },
    json: { help: "one JSON object per line on stdout: text, answer, notice, output, meter" },
  },
  notes: [
    "In the chat: /compact [focus], /undo, /pin [n], /unpin [n], /view [n | summary], /settings [name value], /model [name], /recall words, /help, /quit. Ctrl-C stops an answer, twice it quits. A backslash at the end of a line goes on in the next.",
    "Without a terminal, each line of stdin is one turn; answers go to stdout, notices and the meter to stderr.",
    "Without a key or --upstream the offline assistant answers: it is no language model and only quotes what the conversation holds.",
  ],
  examples: [
    "OPENAI_API_KEY=… precis chat --model gpt-5-mini",
    "precis chat --upstream http://localhost:11434/v1 --model llama3.2 --window 32k",
    "precis chat --resume",
    'echo "What did we decide about the pump?" | precis chat --resume 3f2a',
  ],
};

export async function chatCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const [wanted, ...more] = flags.files;
  if (more.length > 0 || (wanted !== undefined && !flags.has("resume")))
    throw new UsageError("precis chat takes no FILE; --resume takes one ID.");
  const connection = await connect(flags, io);
  const ending = new AbortController();
  try {
    if (flags.has("list")) await list(connection.api, flags, io);
    else await talk(connection, ending, flags, io);
  } finally {
    ending.abort();
    await connection.close();
  }
}

async function list(api: ApiClient, flags: ParsedFlags, io: Io): Promise<void> {
  const listed = await newest(api);
  io.stdout.write(
    flags.has("json")
      ? listed.map((one) => `${JSON.stringify(one)}\n`).join("")
      : conversationsText(listed, columnsOf(io.stdout, io.env)),
  );
}

async function talk(
  { api, where, isKept }: Connection,
  ending: AbortController,
  flags: ParsedFlags,
  io: Io,
): Promise<void> {
  const status = await api.call(routes.status);
  const { conversation, ...start } = await beginning(api, status, flags);

  const live: { session?: ChatSession } = {};
  const isTerminal = "isTTY" in io.stdin && io.stdin.isTTY === true && io.stdout.isTTY === true;
  const terminal: Terminal | undefined =
    isTerminal && !flags.has("json")
      ? createTerminal(io, {
          interrupt() {
            screen.notice("warn", "Stopping… (Ctrl-C again quits)");
            live.session?.stop().catch(() => {});
          },
          quit: () => ending.abort(),
        })
      : undefined;
  const screen: Screen = terminal ?? (flags.has("json") ? jsonScreen(io) : lineScreen(io));
  const session = createChatSession({
    api,
    offline: !status.hasUpstream,
    conversation,
    start,
    tell: {
      notice: ({ tone, text }) => screen.notice(tone, text),
      messages(messages) {
        showOthers(messages, screen);
        if (terminal !== undefined && live.session !== undefined)
          showMeter(live.session, terminal).catch(() => {});
      },
    },
  });
  live.session = session;
  const following = followEvents(api, ending.signal, session.apply);
  try {
    await greet(session, screen, { conversation, model: start.model, where, terminal });
    if (terminal === undefined) await runLines(io, session, screen);
    else await runTerminal(session, terminal, AbortSignal.any([io.signal, ending.signal]));
  } finally {
    terminal?.close();
    ending.abort();
    await following;
  }
  const id = session.id();
  if (terminal !== undefined && id !== undefined && isKept)
    io.stderr.write(`Go on with: ${resumeLine(id, flags)}\n`);
}

const SHOWN_AT_RESUME = 4;

async function greet(
  session: ChatSession,
  screen: Screen,
  about: {
    readonly conversation: ApiConversation | undefined;
    readonly model: string | undefined;
    readonly where: string;
    readonly terminal: Terminal | undefined;
  },
): Promise<void> {
  const { conversation, terminal, where } = about;
  const model = about.model ?? conversation?.model;
  if (terminal !== undefined)
    screen.output(
      `${terminal.paint("strong", "precis chat")} · ${session.offline ? OFFLINE_NAME : (model ?? "no model")} · ${where}\n${terminal.paint("dim", "/help lists the commands. Ctrl-C stops an answer, Ctrl-D quits.")}`,
    );
  if (session.offline) screen.notice("warn", `${OFFLINE_NOTE} ${OFFLINE_HOW}`);
  if (conversation === undefined || terminal === undefined) return;
  const from = Math.max(0, conversation.messages - SHOWN_AT_RESUME);
  const shown = await session.messages({ from });
  screen.output(messagesText(conversation, shown, terminal.columns, terminal.paint));
}

/** What was said elsewhere in this conversation. */
function showOthers(messages: readonly ApiMessage[], screen: Screen): void {
  for (const message of messages) {
    const text = saidText(message);
    if (text !== "") screen.notice("dim", `${message.role} (elsewhere): ${text}`);
  }
}
