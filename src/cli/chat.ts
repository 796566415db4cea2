import { saidText } from "../core/message-text.ts";
import { type ApiClient, type ApiConversation, type ApiMessage, routes } from "../gateway/api.ts";
import { beginning, type Connection, connect, followEvents, newest, resumeLine } from "./chat/connect.ts";
import { jsonScreen, lineScreen, type Screen } from "./chat/screen.ts";
import { type ChatSession, createChatSession } from "./chat/session.ts";
import { createTerminal, type Terminal } from "./chat/terminal.ts";
import { OFFLINE_HOW, OFFLINE_NAME, OFFLINE_NOTE, runLines, runTerminal, showMeter } from "./chat/turns.ts";
import { conversationsText, messagesText } from "./chat/view-text.ts";
import { UsageError } from "./flags.ts";
import type { RunOf } from "./run.ts";

export async function chat(run: RunOf<"chat">): Promise<void> {
  if (run.args.length > 0 && !run.options.resume)
    throw new UsageError(
      `chat takes no FILE. To continue a conversation: precis chat --resume ${run.args[0]}`,
    );
  const connection = await connect(run);
  const ending = new AbortController();
  try {
    if (run.options.list) await list(connection.api, run);
    else await talk(connection, ending, run);
  } finally {
    ending.abort();
    await connection.close();
  }
}

async function list(api: ApiClient, { io, options, look }: RunOf<"chat">): Promise<void> {
  const listed = await newest(api);
  io.stdout.write(
    options.json
      ? listed.map((one) => `${JSON.stringify(one)}\n`).join("")
      : conversationsText(listed, look.columns),
  );
}

async function talk(
  { api, where, isKept }: Connection,
  ending: AbortController,
  run: RunOf<"chat">,
): Promise<void> {
  const { io, options } = run;
  const status = await api.call(routes.status);
  const { conversation, ...start } = await beginning(api, status, run);

  const live: { session?: ChatSession } = {};
  const isTerminal = "isTTY" in io.stdin && io.stdin.isTTY === true && io.stdout.isTTY === true;
  const terminal: Terminal | undefined =
    isTerminal && !options.json
      ? createTerminal(io, {
          interrupt() {
            screen.notice("warn", "Stopping… (Ctrl-C again quits)");
            live.session?.stop().catch(() => {});
          },
          quit: () => ending.abort(),
        })
      : undefined;
  const screen: Screen = terminal ?? (options.json ? jsonScreen(io) : lineScreen(io));
  const session = createChatSession({
    api,
    offline: !status.hasUpstream,
    conversation,
    start,
    listener: {
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
    io.stderr.write(`Continue with: ${resumeLine(id, options)}\n`);
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
