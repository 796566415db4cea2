import { encode } from "../../dialects/index.ts";
import { redact } from "../../models/shared/redact.ts";
import type { ChatEvent } from "../api.ts";
import { countAhead } from "../conversation/count-ahead.ts";
import { type Loaded, load } from "../conversation/loaded.ts";
import { appendMessages } from "../conversation/store-messages.ts";
import { pressureOf } from "../conversation/view-of.ts";
import { isJson, parseJson, textOf } from "../http/json.ts";
import { RequestFault } from "../http/request-fault.ts";
import { countRequest } from "../telemetry/metrics.ts";
import { finishTurn } from "../turn/finish-turn.ts";
import { fitTurn } from "../turn/fit-turn.ts";
import { isStream } from "../turn/peek.ts";
import { type Attempt, runTurn, type Shrink } from "../turn/run-turn.ts";
import { type Action, spokenWire, type Turn } from "../turn/turn.ts";
import { describeFailure } from "../v1/fail.ts";
import type { WireAnswer } from "../wires/wire.ts";
import { announced } from "./announce.ts";
import { apiMessages } from "./api-messages.ts";
import { chatTurn } from "./chat-turn.ts";
import type { ApiContext } from "./context.ts";
import { createDeltaReader } from "./delta-reader.ts";

type Send = (event: ChatEvent) => void;

/** Asks the model of a chat, streams its answer and stores it. */
export async function answerChat(
  context: ApiContext,
  loaded: Loaded,
  stop: AbortSignal,
  send: Send,
): Promise<void> {
  const { gateway } = context;
  const { metrics } = gateway;
  await countAhead(gateway, loaded);
  const turn = chatTurn(context, loaded, stop);
  const { api } = spokenWire(turn);
  const started = performance.now();
  let action: Action = "untouched";
  let status = 200;
  metrics.active.add(1);
  try {
    action = await take(context, loaded, turn, send);
  } catch (error) {
    status = stop.aborted ? CLIENT_LEFT : describeFailure(error).status;
    throw error;
  } finally {
    metrics.active.add(-1);
    countRequest(gateway, { api, status, action, ms: performance.now() - started });
  }
}

/** The status of a request that nobody waits for any more. */
const CLIENT_LEFT = 499;

/** One turn of the chat. Returns what precis did. */
async function take(context: ApiContext, loaded: Loaded, turn: Turn, send: Send): Promise<Action> {
  const { gateway } = context;
  const makeView = async (rejected?: Parameters<Shrink>[0]) => {
    const outgoing = await fitTurn(gateway, turn, { rejected });
    const { report } = outgoing;
    if (report)
      send({ type: "view", outcome: report.outcome, tokens: report.tokens, pressure: report.pressure.after });
    return outgoing;
  };
  const done = await runTurn(gateway, turn, await makeView(), makeView);
  if (done.failed) throw upstreamSaid(done.status, done.failed.text, turn.upstream.name);
  const { answer, wasStopped } = await readAnswer(turn, done, send);
  await finishTurn(gateway, turn, done.outgoing, inOwnWords(turn, answer), (own) =>
    store(context, loaded, turn, own, wasStopped, send),
  );
  return done.outgoing.action;
}

/** Reads an answer as it comes and tells the page what came. A person may stop it: then what came is the answer. */
async function readAnswer(
  turn: Turn,
  { answer, read, data }: Attempt,
  send: Send,
): Promise<{ readonly answer: WireAnswer; readonly wasStopped: boolean }> {
  const { signal } = turn;
  const spoken = spokenWire(turn);
  if (!isStream(answer) && isJson(data)) return { answer: spoken.readJson(data), wasStopped: signal.aborted };
  const deltas = createDeltaReader(spoken, send);
  if (read) deltas.push(read);
  try {
    if (isStream(answer)) for await (const piece of answer.pieces()) deltas.push(piece);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return { answer: spoken.readStream(deltas.text()), wasStopped: signal.aborted };
}

/** The answer in the words of the conversation's API. */
function inOwnWords({ wire, translation }: Turn, answer: WireAnswer): WireAnswer {
  if (!translation) return answer;
  const { dialect } = translation.wire;
  const { messages } = encode(
    wire.dialect.id,
    answer.messages.map((message) => dialect.read(message)),
  );
  return { ...answer, messages };
}

async function store(
  context: ApiContext,
  loaded: Loaded,
  { recording }: Turn,
  { messages, usage }: WireAnswer,
  wasStopped: boolean,
  send: Send,
): Promise<void> {
  const { gateway, tenant } = context;
  if (messages.length === 0) {
    if (wasStopped) send({ type: "stopped", message: undefined });
    else throw new RequestFault(502, "empty-answer", "The model sent no answer.");
    return;
  }
  const { conversation } = await appendMessages(gateway, tenant, loaded, messages);
  const after = await load(gateway, tenant, conversation);
  if (recording?.known.id === conversation) recording.known.newest = after.stored.at(-1)?.hash;
  announced(context, after.conversation, "changed");
  const shown = await apiMessages(gateway, tenant, after, after.stored.length - 1);
  const message = shown.messages[0]!;
  if (wasStopped) send({ type: "stopped", message });
  else send({ type: "done", message, usage, pressure: await pressureOf(gateway, tenant, conversation) });
}

function upstreamSaid(status: number, text: string, upstream: string): RequestFault {
  const body = parseJson(text);
  const error = isJson(body) && isJson(body["error"]) ? body["error"] : undefined;
  const words = redact(textOf(error?.["message"]) ?? text.slice(0, 300), []);
  return new RequestFault(status, "upstream", `${upstream} answered ${status}: ${words}`);
}
