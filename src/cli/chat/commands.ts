import { HOSTED_TOOLS } from "../../config/gateway-schema.ts";
import { typed } from "../../config/sizes.ts";
import { faultOf, nearest } from "../../core/check.ts";
import {
  CHAT_SETTINGS,
  type ChatSettings,
  inForce,
  routes,
  SETTINGS,
  type Setting,
  type SettingOrigin,
  type SettingsAnswer,
} from "../../gateway/api.ts";
import { UsageError } from "../flags.ts";
import { formatCount, oneLine } from "../format.ts";
import { twoColumns } from "../help.ts";
import { type Paint, wrap } from "../io.ts";
import type { ChatSession, Notice } from "./session.ts";
import { messageText, summaryText, viewText } from "./view-text.ts";

/** The chat that a command is given in, and where it may write. */
interface CommandContext {
  readonly session: ChatSession;
  readonly paint: Paint;
  readonly columns: number;
  /** Shows what the person asked for by the command. */
  output(text: string): void;
  notice(notice: Notice): void;
  quit(): void;
}

interface ChatCommand {
  readonly usage: string;
  readonly help: string;
  run(argument: string, context: CommandContext): Promise<void>;
}

/** The commands of a chat. A new one is added here. */
const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  compact: {
    usage: "/compact [focus]",
    help: "compact now; the summary concentrates on focus",
    run: (focus, { session }) => session.compact(focus === "" ? undefined : focus),
  },
  undo: { usage: "/undo", help: "undo the last compaction", run: undo },
  pin: {
    usage: "/pin [n]",
    help: "always show message n verbatim (default: your last message)",
    run: pin,
  },
  unpin: { usage: "/unpin [n]", help: "unpin message n (default: the last one pinned)", run: unpin },
  view: {
    usage: "/view [n | summary]",
    help: "show what the model sees: everything, message n, or the summary",
    run: view,
  },
  settings: {
    usage: "/settings [name value]",
    help: "show the settings of this chat, or change one",
    run: settings,
  },
  model: { usage: "/model [name]", help: "list the models, or switch to another", run: model },
  recall: {
    usage: "/recall words",
    help: "search the conversation, including hidden messages",
    run: recall,
  },
  help: {
    usage: "/help",
    help: "show this text",
    async run(_, { output, columns }) {
      const rows = Object.values(COMMANDS).map(({ usage, help }) => [usage, help] as const);
      output(twoColumns(rows, columns).join("\n"));
    },
  },
  quit: {
    usage: "/quit",
    help: "quit; the conversation is kept and can be resumed",
    async run(_, { quit }) {
      quit();
    },
  },
};

/** The commands as they are typed, for the completion by the tab key. */
export const commandNames: readonly string[] = Object.keys(COMMANDS).map((name) => `/${name}`);

/** A line that is a command; one that begins with a space never is. */
export const isCommand = (line: string): boolean => line.startsWith("/");

export async function runCommand(line: string, context: CommandContext): Promise<void> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const close = nearest(name, Object.keys(COMMANDS));
    throw new UsageError(
      `unknown command /${name}. ${close === undefined ? "/help lists the commands." : `Did you mean /${close}?`} To send a message that starts with /, put a space before it.`,
    );
  }
  await command.run(argument.trim(), context);
}

async function undo(_: string, { session, notice }: CommandContext): Promise<void> {
  const { dividers } = await session.messages({ from: Number.MAX_SAFE_INTEGER });
  if (dividers.length === 0) {
    notice({ tone: "warn", text: "There is no compaction to undo." });
    return;
  }
  const { pressure } = await session.undo();
  notice({ tone: "good", text: `Undone: the view has ${formatCount(pressure.tokens)} tokens again.` });
}

async function pin(argument: string, context: CommandContext): Promise<void> {
  const { session, notice } = context;
  const { hash, number, pins } = await messageOf(
    argument,
    context,
    ({ messages }) => messages.findLast(({ role }) => role === "user")?.index,
  );
  await setPins(session, [...pins.filter((one) => one !== hash), hash]);
  notice({ tone: "good", text: `Pinned #${number}: it is always shown verbatim.` });
}

async function unpin(argument: string, context: CommandContext): Promise<void> {
  const { session, notice } = context;
  const { messages } = await session.messages();
  const last = messages.findLast(({ pinned }) => pinned);
  if (!last) {
    notice({ tone: "warn", text: "Nothing is pinned." });
    return;
  }
  const { hash, number, pins } = await messageOf(argument, context, () => last.index);
  if (!pins.includes(hash)) throw new UsageError(`#${number} isn't pinned.`);
  await setPins(
    session,
    pins.filter((one) => one !== hash),
  );
  notice({ tone: "good", text: `#${number} is no longer pinned.` });
}

async function setPins(session: ChatSession, pins: readonly string[]): Promise<void> {
  await session.api.call(routes.changeConversation, {
    params: { id: await session.ensure() },
    body: { pins },
  });
}

/** The message that a number means, or the one that is meant without. */
async function messageOf(
  argument: string,
  { session }: CommandContext,
  otherwise: (shown: Awaited<ReturnType<ChatSession["messages"]>>) => number | undefined,
): Promise<{
  readonly index: number;
  readonly hash: string;
  readonly number: number;
  readonly pins: readonly string[];
}> {
  const [shown, conversation] = await Promise.all([session.messages(), session.conversation()]);
  const { lead } = shown;
  const index = argument === "" ? otherwise(shown) : numberOf(argument) - 1 - lead;
  if (index === undefined) throw new UsageError("there are no messages yet.");
  if (index < 0 || index >= shown.total)
    throw new UsageError(
      `message ${argument} doesn't exist: messages go from #${lead + 1} to #${lead + shown.total}.`,
    );
  return {
    index,
    hash: shown.messages[index]!.hash,
    number: index + 1 + lead,
    pins: conversation?.pins ?? [],
  };
}

function numberOf(text: string): number {
  const digits = /^#?(\d+)$/.exec(text)?.[1];
  if (digits === undefined) throw new UsageError(`"${text}" isn't the number of a message, such as 12.`);
  return Number(digits);
}

async function view(argument: string, context: CommandContext): Promise<void> {
  const { session, output, paint, columns } = context;
  if (session.id() === undefined) throw new UsageError("there are no messages yet.");
  const params = { id: await session.ensure() };
  if (argument === "summary") {
    output(summaryText(await session.api.call(routes.view, { params })));
    return;
  }
  const shown = await session.messages();
  const { lead } = shown;
  if (argument === "") {
    const [now, pressure] = await Promise.all([
      session.api.call(routes.view, { params }),
      session.pressure(),
    ]);
    const isOpen = pressure?.isOpen === true;
    output(viewText(now, shown.messages, { columns, paint, lead, isOpen }));
    return;
  }
  const { index } = await messageOf(argument, context, () => undefined);
  const message = shown.messages.find((one) => one.index === index);
  if (message !== undefined) output(messageText(message, lead));
}

async function settings(
  argument: string,
  { session, output, notice, columns }: CommandContext,
): Promise<void> {
  const { api } = session;
  const [, name = "", text = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? [];
  if (name !== "" && text === "") throw new UsageError(`${name} needs a value: /settings ${name} VALUE.`);
  if (name !== "") {
    const { scope, value } = parseSetting(name, text);
    const change = { [name]: value };
    if (scope === "global") await api.call(routes.changeSettings, { body: change });
    else
      await api.call(routes.changeConversation, {
        params: { id: await session.ensure() },
        body: { settings: change },
      });
    notice({ tone: "good", text: `${name} is now ${value === null ? "back to its default" : text}.` });
    return;
  }
  const [conversation, answer] = await Promise.all([session.conversation(), api.call(routes.settings)]);
  const { settings: own = {}, model: current } = conversation ?? {};
  output(settingsText({ ...(current !== undefined && { model: current }), ...own }, answer, columns));
}

async function model(argument: string, context: CommandContext): Promise<void> {
  const { session, output, columns } = context;
  if (argument !== "") {
    await settings(`model ${argument}`, context);
    return;
  }
  const { models, problems } = await session.api.call(routes.models);
  const lines = [
    ...models.map(({ id, upstream, window }) => `  ${id}  ${upstream}, window ${formatCount(window)}`),
    ...problems.map(({ upstream, message, fix }) => `  ${upstream}: ${message} ${fix}`),
  ];
  output(
    lines.length === 0
      ? "No model is configured."
      : lines.map((line) => `  ${oneLine(line, columns - 2)}`).join("\n"),
  );
}

async function recall(q: string, { session, output, columns }: CommandContext): Promise<void> {
  if (q === "") throw new UsageError("recall needs a query: /recall words.");
  if (session.id() === undefined) throw new UsageError("there are no messages yet.");
  const params = { id: await session.ensure() };
  const [{ hits }, { lead }] = await Promise.all([
    session.api.call(routes.recall, { params, query: { q } }),
    session.messages({ from: Number.MAX_SAFE_INTEGER }),
  ]);
  output(
    hits.length === 0
      ? `Nothing in this conversation matches “${q}”.`
      : hits
          .map(({ index, role, excerpt, visible }) =>
            oneLine(
              `#${index + 1 + lead} ${role}${visible ? "" : " (not in the view)"}: ${excerpt}`,
              columns - 2,
            ),
          )
          .map((line) => `  ${line}`)
          .join("\n"),
  );
}

type Value = string | number | boolean | readonly string[];

/** Settings of all chats that matter in a terminal. */
const GLOBAL = { showMeter: SETTINGS.page.showMeter };
const ALL: Readonly<Record<string, Setting>> = { ...CHAT_SETTINGS, ...GLOBAL };

/** The value by which a person takes a setting back to its default. */
const DEFAULT_WORD = "default";
/** The value by which a person sets an empty list. */
const NONE_WORD = "none";

interface SettingChange {
  readonly scope: "chat" | "global";
  readonly name: string;
  /** Null: back to the default. */
  readonly value: Value | null;
}

/** `window 16k`, `auto off`, `strategy default`. */
export function parseSetting(name: string, text: string): SettingChange {
  const setting = Object.hasOwn(ALL, name) ? ALL[name] : undefined;
  if (setting === undefined) {
    const close = nearest(name, Object.keys(ALL));
    throw new UsageError(
      `unknown setting ${name}. ${close === undefined ? `The settings are ${Object.keys(ALL).join(", ")}.` : `Did you mean ${close}?`}`,
    );
  }
  const scope = Object.hasOwn(GLOBAL, name) ? "global" : "chat";
  const value = text === DEFAULT_WORD ? null : parseValue(name, setting, text);
  return { scope, name, value };
}

function parseValue(name: string, { kind }: Setting, text: string): Value {
  switch (kind.is) {
    case "tools":
      return text === NONE_WORD ? [] : text.split(/[\s,]+/);
    case "name":
    case "profile":
    case "prompt":
      return text;
    default: {
      const value = typed(kind, text);
      const fault = faultOf(kind, value, true);
      if (!fault) return value as Value;
      const fix = kind.is === "switch" ? "Give on or off." : fault.fix;
      throw new UsageError(`${name} ${text}: this ${fault.problem}. ${fix}`);
    }
  }
}

/** Each setting with its value, and where that comes from. */
export function settingsText(chat: ChatSettings, answer: SettingsAnswer, columns: number): string {
  const labels = new Map<unknown, string>(answer.strategies.map(({ name, label }) => [name, label]));
  const nameWidth = Math.max(...Object.keys(ALL).map((name) => name.length)) + 2;
  const rows = Object.entries(ALL).map(([name, { help, kind }]) => {
    const { value, from } = Object.hasOwn(GLOBAL, name)
      ? { value: answer.settings[name as keyof typeof GLOBAL], from: "page" as const }
      : inForce(name as keyof ChatSettings, { answer, chat });
    const origin = value === undefined ? "" : ORIGINS[from];
    const choices = labels.has(value) ? `Now: ${labels.get(value)}.` : choicesOf(kind);
    return [`${name.padEnd(nameWidth)}${shown(value)}${origin}`, `${help} ${choices}`.trim()] as const;
  });
  return [
    ...twoColumns(rows, columns),
    ...wrap(
      `/settings NAME VALUE changes a setting for this chat; the value ${DEFAULT_WORD} resets it.`,
      columns,
    ),
  ].join("\n");
}

/** What may be given, where that isn't plain. */
function choicesOf(kind: Setting["kind"]): string {
  if (kind.is === "choice") return `One of ${kind.names.join(", ")}.`;
  if (kind.is === "number") return `From ${kind.least} to ${kind.most}.`;
  return kind.is === "tools" ? `One or more of ${HOSTED_TOOLS.join(", ")}, or ${NONE_WORD}.` : "";
}

/** Who says so; what is built in needs no name. */
const ORIGINS: Readonly<Record<SettingOrigin, string>> = {
  chat: " (this chat)",
  page: " (all chats)",
  upstream: " (config)",
  config: " (config)",
  profile: " (profile)",
  "built-in": "",
};

function shown(value: unknown): string {
  if (value === undefined) return "–";
  if (Array.isArray(value)) return value.length === 0 ? NONE_WORD : value.join(",");
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}
