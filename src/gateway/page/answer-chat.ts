import { StringDecoder } from "node:string_decoder";
import { encode } from "../../apis/index.ts";
import { dataLines, errorText, eventsIn, splitEvents } from "../../apis/shared/events.ts";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { parseExact, stringifyDeep } from "../../core/json.ts";
import type { Report } from "../../core/types.ts";
import { redact } from "../../models/shared/redact.ts";
import type { StoredMessage } from "../../stores/server-store.ts";
import type { ApiMessage, ChatEvent } from "../api.ts";
import { lookupOf } from "../conversation/hidden-answers.ts";
import { answerCap, countAhead, type Loaded, load } from "../conversation/loaded.ts";
import { appendMessages } from "../conversation/store-messages.ts";
import { pressureOf } from "../conversation/view-of.ts";
import { RequestFault } from "../http/request-fault.ts";
import { describeFailure } from "../requests/describe-failure.ts";
import { CLIENT_LEFT } from "../requests/running-request.ts";
import { finishTurn, upstreamWords } from "../turn/commit.ts";
import { fitTurn } from "../turn/fit.ts";
import { offerTools } from "../turn/offer-tools.ts";
import { noteAsked } from "../turn/read.ts";
import { takeTurn } from "../turn/rounds.ts";
import { type Attempt, isStream, readPieces } from "../turn/send.ts";
import { HostedTurn, spokenWire, type Translation, type Turn, type TurnRecording } from "../turn/turn.ts";
import { chooseUpstream, isOfKey, keysIn } from "../upstream/upstream.ts";
import { called } from "../upstream/upstream-fault.ts";
import { streamPath, type Wire, type WireAnswer, wireOfDialect } from "../wires/index.ts";
import type { ApiContext } from "./context.ts";
import { announced } from "./event-stream.ts";
import { apiMessages } from "./handlers/messages.ts";

type Send = (event: ChatEvent) => void;

/** What is answered: a conversation up to the message that asks, and an earlier answer to it. */
export interface Question {
  readonly loaded: Loaded;
  /** What was answered to it before. */
  readonly answers: readonly StoredMessage[];
}

/** Asks the model of a chat, streams its answer and stores it. */
export async function answerChat(
  context: ApiContext,
  question: Question,
  stop: AbortSignal,
  send: Send,
): Promise<void> {
  const { gateway } = context;
  await countAhead(gateway, question.loaded);
  const turn = chatTurn(context, question, stop);
  const { record } = turn;
  noteAsked(gateway, turn);
  try {
    await record.run(() => answer(context, question, turn, send));
    record.end(200);
  } catch (error) {
    const status = stop.aborted ? CLIENT_LEFT : describeFailure(error).status;
    record.end(status, stop.aborted ? undefined : error);
    throw error;
  }
}

/** One turn of the chat. */
async function answer(context: ApiContext, question: Question, plain: Turn, send: Send): Promise<void> {
  const { gateway, tenant } = context;
  const { upstream, headers, client, asked, record } = plain;
  await gateway.askWindow({ upstream, headers, model: asked.model, ...client });
  const hosted = hostedTurn(question, plain, send);
  const turn = hosted ? await offerTools(gateway, plain, hosted, asked.transcript) : plain;
  const done = await takeTurn(gateway, turn, async (round, rejected) => {
    const outgoing = await fitTurn(gateway, round, { rejected });
    if (outgoing.report) send(viewEvent(outgoing.report));
    return outgoing;
  });
  if (done.failed) throw upstreamSaid(done.status, done.failed.text, upstream.name);
  if (done.isUnread) {
    done.answer.drop();
    throw tooLong(upstream.name);
  }
  const read = await readAnswer(gateway, turn, done, send);
  let message: ApiMessage | undefined;
  await finishTurn(turn, done.outgoing, read.answer, async (own) => {
    message = await store(context, question, turn, { ...read, answer: own });
  });
  if (read.unfinished === "broken") throw read.cause;
  if (read.unfinished) send({ type: "stopped", message });
  else {
    const pressure = await pressureOf(gateway, tenant, question.loaded.conversation.id);
    send({ type: "done", message: message!, usage: record.usage, pressure });
  }
}

/** What precis did to a request, for the page. */
export const viewEvent = ({ outcome, tokens, pressure }: Report): ChatEvent => ({
  type: "view",
  outcome,
  tokens,
  pressure: pressure.after,
});

/** The chat's model may call tools of precis's own; undefined where it has none. */
function hostedTurn({ loaded: { tools, lead } }: Question, turn: Turn, send: Send): HostedTurn | undefined {
  if (tools.length === 0 || !spokenWire(turn).hosting) return undefined;
  return new HostedTurn(tools, (call, result) => {
    const lookup = lookupOf(call, result, lead.length);
    if (lookup) send({ type: "lookup", lookup, lead: lead.length });
  });
}

/** An answer as it was read, and how it ended if not by itself. */
interface Ended {
  readonly answer: WireAnswer;
  readonly unfinished?: "stopped" | "broken" | undefined;
  readonly cause?: unknown;
}

/** Reads an answer as it comes and tells the page what came. If it ends before its end, what came is kept. */
async function readAnswer(
  { config }: Pick<ApiContext["gateway"], "config">,
  turn: Turn,
  done: Attempt,
  send: Send,
): Promise<Ended> {
  const { signal, upstream } = turn;
  const spoken = spokenWire(turn);
  const isStreamed = isStream(done.answer, turn);
  if (!isStreamed && isJson(done.data))
    return { answer: spoken.readAnswer(done.data), ...(signal.aborted && { unfinished: "stopped" }) };
  const deltas = createDeltaReader(spoken, send, config.limits.answerBytes);
  let cause: unknown;
  if (isStreamed)
    cause = await readPieces(done, (piece) => {
      deltas.push(piece);
      if (deltas.read().isTooLong) throw tooLong(upstream.name);
    });
  else if (done.read) deltas.push(done.read);
  deltas.end();
  const { text, said, isWhole, error } = deltas.read();
  if (isStreamed && !isWhole) cause ??= brokenOff(upstream.name, error);
  const whole = spoken.readStream(text);
  // An API that tells its messages only when they are finished hasn't told the one that broke off.
  const isUntold = whole.messages.length === 0 && said !== "";
  const messages = isUntold ? [spoken.dialect.write({ role: "assistant", text: said })] : whole.messages;
  const unfinished = signal.aborted ? "stopped" : cause === undefined ? undefined : "broken";
  return { answer: { ...whole, messages }, unfinished, cause };
}

function brokenOff(upstream: string, why: string | undefined): RequestFault {
  const words = why === undefined ? "" : ` It said: ${redact(why, [])}`;
  return new RequestFault(502, "broken-off", `The answer of ${called(upstream)} broke off.${words}`, {
    fix: "Try again; what came is kept.",
  });
}

function tooLong(upstream: string): RequestFault {
  const message = `The answer of ${called(upstream)} is longer than limits.answerBytes, the most that is kept of one.`;
  return new RequestFault(502, "too-long", message, { fix: "Ask for less, or raise the limit." });
}

/** Stores an answer, and returns it as pages see it; undefined where nothing of it is kept. */
async function store(
  context: ApiContext,
  { loaded, answers }: Question,
  { recording, record, hosted }: Turn,
  { unfinished, answer: { messages, stop }, cause }: Ended,
): Promise<ApiMessage | undefined> {
  const { gateway, tenant } = context;
  if (messages.length === 0 && !unfinished)
    throw new RequestFault(502, "empty-answer", "The model sent no answer.");
  // A second try that came less far takes nothing away.
  const before = answers.at(-1)?.unfinished ? answers.map(({ wire }) => parseExact(wire)) : [];
  if (messages.length === 0 || (unfinished && sizeOf(messages) < sizeOf(before))) return undefined;
  if (unfinished === "stopped") record.fails(CLIENT_LEFT, "It was stopped.");
  else if (unfinished) record.fails(502, describeFailure(cause).message);
  // Of an answer that didn't come to its end only the words are kept: its last round isn't known.
  const real = hosted?.hasHidden && !unfinished ? hosted.real : undefined;
  const { conversation } = await appendMessages(gateway, tenant, loaded, messages, {
    real,
    unfinished: unfinished ?? (stop === "length" ? stop : undefined),
    request: record,
  });
  const after = await load(gateway, tenant, conversation);
  if (recording?.known.id === conversation) {
    recording.known.newest = after.stored.at(-1)?.hash;
    // A client that goes on with this chat has it read again.
    if (real) recording.known.hidden = undefined;
  }
  announced(context, after.conversation, "changed");
  return (await apiMessages(gateway, tenant, after, after.stored.length - 1)).messages[0]!;
}

const sizeOf = (messages: readonly unknown[]): number =>
  messages.reduce<number>((sum, message) => sum + stringifyDeep(message).length, 0);

function upstreamSaid(status: number, text: string, upstream: string): RequestFault {
  // Only a person can mend that, and the page says where.
  const code = isOfKey(status) ? "upstream-key" : "upstream";
  return new RequestFault(
    status,
    code,
    `${sentence(called(upstream))} answered ${status}: ${upstreamWords(text)}`,
  );
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The turn of a chat: all of its messages are in the store, and its model is asked next. */
function chatTurn(
  { gateway, client, headers }: ApiContext,
  { loaded, answers }: Question,
  signal: AbortSignal,
): Turn {
  const { model, wire, transcript, system } = loaded;
  const upstream = chooseUpstream(gateway.upstreams, model, undefined);
  const speaks = upstream.dialects.includes(wire.dialect.id);
  const spoken = speaks ? wire : wireOfDialect(upstream.dialects[0]);
  const cap = answerCap({ wire: spoken, settings: loaded.settings });
  const body = requestBody(loaded, { messages: transcript, system }, cap);
  const bytes = Buffer.from(stringifyDeep(body));
  const path = streamPath(spoken, model);
  const start = { kind: "page", api: spoken.api, path: path.replace(/\?.*/, ""), headers, client } as const;
  return {
    client,
    // Of the page's own headers only a key is passed on.
    headers: { "content-type": "application/json", ...spoken.provider.headers, ...keysIn(headers) },
    wire,
    translation: speaks ? undefined : translationOf(loaded, spoken),
    upstream,
    path,
    record: gateway.requests.begin(start),
    bytes,
    plain: bytes,
    body,
    asked: { model, transcript, system, tools: undefined, streamed: true, cap },
    compactors: gateway.compactors,
    choice: loaded.choice,
    pins: loaded.pins,
    signal,
    startedAt: gateway.now(),
    arrivedAt: performance.now(),
    recording: { ...recordingOf(gateway, client.tenant, loaded), isAskedAgain: answers.length > 0 },
    isObserved: false,
    isRewritten: true,
  };
}

function translationOf(loaded: Loaded, wire: Wire): Translation {
  const { dialect } = loaded;
  return {
    wire,
    write({ messages, system }) {
      const lead = system === undefined ? [] : [dialect.read({ role: "system", content: system })];
      const read = messages.map((message) => dialect.read(message));
      const view = encode(wire.dialect.id, [...lead, ...read]);
      return requestBody({ ...loaded, wire }, { messages: view.messages, system: view.system });
    },
  };
}

/** What this node remembers of the chat. Its messages are stored before and after the turn, not by it. */
function recordingOf(
  { memory }: Pick<ApiContext["gateway"], "memory">,
  tenant: string,
  { conversation, dialect, stored }: Loaded,
): Omit<TurnRecording, "isAskedAgain"> {
  const { id } = conversation;
  const remembered = memory.ofConversation(tenant, id, dialect.id);
  const { newest } = remembered;
  const since =
    newest === undefined ? stored : stored.slice(stored.findLastIndex(({ hash }) => hash === newest) + 1);
  return {
    known: remembered,
    isFirst: false,
    followsOurs: since.every(({ role }) => role !== "assistant"),
    // The messages of a chat may have been imported: they tell nothing about requests.
    hadRequest: remembered.lastRequestAt > 0,
    isWatched: true,
    begin() {},
    stored: async () => id,
  };
}

/** The request that a chat of the page sends. */
export function requestBody(
  { wire, model, settings }: Pick<Loaded, "wire" | "model" | "settings">,
  view: { readonly messages: readonly unknown[]; readonly system: unknown },
  cap: number | undefined = answerCap({ wire, settings }),
): Json {
  const { temperature } = settings;
  const base: Json = wire.chat.request?.({ temperature }) ?? {
    model,
    stream: true,
    ...(temperature !== undefined && { temperature }),
    ...wire.chat.fields,
  };
  const body = wire.write(base, view);
  return cap === undefined ? body : wire.withCap(body, cap);
}

/** Reads a streamed answer piece by piece and tells the page what came. */
export function createDeltaReader(
  wire: Wire,
  send: (event: ChatEvent) => void,
  /** So much of an answer is kept (characters). */
  most: number,
) {
  const decoder = new StringDecoder("utf8");
  const split = splitEvents(most);
  let text = "";
  let size = 0;
  let said = "";
  let isWhole = false;
  let error: string | undefined;
  const see = (event: string): void => {
    isWhole ||= dataLines(event).some((line) => wire.endMarkers.includes(line.trim()));
    for (const one of eventsIn(event)) {
      error ??= errorText(one);
      const delta = wire.readEvent(one);
      isWhole ||= delta?.isEnd === true;
      said += delta?.text ?? "";
      if (delta?.text) send({ type: "text", text: delta.text });
      else if (delta?.reasoning) send({ type: "reasoning", text: delta.reasoning });
    }
  };
  const push = (piece: Buffer, isLast: boolean): void => {
    const fresh = decoder.write(piece);
    size += fresh.length;
    if (size > most) return;
    text += fresh;
    for (const event of split(piece, isLast)) see(event.text);
  };
  return {
    push: (piece: Buffer) => push(piece, false),
    /** Nothing more comes. */
    end: () => push(Buffer.alloc(0), true),
    /** What came so far: all of it, the words of the answer, and why the provider gave it up, if it said so. */
    read: () => ({ text, said, isWhole, isTooLong: size > most, error }),
  };
}
