import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type {
  Compactor,
  CompactorOptions,
  Events,
  FitInput,
  FitResult,
  Sized,
  State,
} from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { openaiCompatible } from "../../src/models/index.ts";
import { checkView, type FakeProvider } from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";

const MODEL = "test-model";
/** Tells the conversation's own requests from those for summaries. */
export const ANSWER_CAP = 50;
const SECOND = 1_000;
const START = 1_700_000_000_000;

/** A host that plays a written conversation: before each assistant message it asks for a view and really sends it. */
export interface Player {
  readonly transcript: ChatMessage[];
  readonly results: FitResult<ChatMessage>[];
  readonly failures: Events["failed"][];
  state: State | undefined;
  readonly compactor: Compactor<ChatMessage>;
  /** Plays messages; every view is judged and sent to the provider, which refuses what a real one would. */
  play(messages: readonly ChatMessage[]): Promise<void>;
  settle(): Promise<void>;
  close(): Promise<void>;
}

export function createPlayer(
  provider: FakeProvider,
  options: Partial<CompactorOptions<ChatMessage>> & {
    /** Give `fit` the last request, so that a summary can continue it. */
    readonly continues?: boolean;
    /** Wait for background work after each turn, as a slow user does. */
    readonly patient?: boolean;
    /** Have the pressure checked after each reply and tool result, as it comes. */
    readonly observes?: boolean;
    /** Given to every `fit`. */
    readonly input?: FitInput<ChatMessage>;
    /** Where summaries come from. Default: the conversation's own model. */
    readonly summarizer?: CompactorOptions<ChatMessage>["summarizer"];
  } = {},
): Player {
  const { continues = false, patient = false, observes = false, input: given = {}, ...rest } = options;
  const baseURL = `${provider.url}/v1`;
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    summarizer: openaiCompatible({ baseURL, apiKey: "key", model: MODEL, retry: { attempts: 1 } }),
    ...(rest as typeof rest & Sized),
  });
  const failures: Events["failed"][] = [];
  compactor.on("failed", (event) => failures.push(event));
  const count = counterOf(openaiChat);
  let request: object | undefined;
  let turns = 0;
  const player: Player = {
    transcript: [],
    results: [],
    failures,
    state: undefined,
    async play(messages) {
      for (const message of messages) {
        if (message.role === "assistant") await turn();
        player.transcript.push(message);
        if (observes && message.role !== "user") await observe();
      }
    },
    compactor,
    settle: () => compactor.settled(),
    close: () => compactor.close(),
  };
  const observe = async () => {
    const now = START + turns * SECOND;
    const state = player.state === undefined ? {} : { state: player.state };
    await compactor.observe({
      transcript: player.transcript,
      input: { ...given, ...state, now, lastRequestAt: now },
    });
    if (patient) await compactor.settled();
  };
  const turn = async () => {
    const now = START + turns++ * SECOND;
    const snapshot = JSON.stringify(player.transcript);
    const input: FitInput<ChatMessage> = {
      now,
      lastRequestAt: now - SECOND,
      ...(player.state !== undefined && { state: player.state }),
      ...(continues && request !== undefined && { request }),
      ...given,
    };
    const result = await compactor.fit(player.transcript, input);
    const breaches = checkView({
      dialect: "openai-chat",
      transcript: player.transcript,
      snapshot,
      system: undefined,
      extras: [],
      result,
      count,
    });
    if (breaches.length > 0) throw new Error(`The view is not valid:\n${breaches.join("\n")}`);
    player.results.push(result);
    player.state = result.state;
    request = {
      model: MODEL,
      messages: result.messages,
      max_tokens: ANSWER_CAP,
      ...(given.tools !== undefined && { tools: given.tools }),
    };
    const answer = await fetch(`${baseURL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer key" },
      body: JSON.stringify(request),
    });
    if (!answer.ok) throw new Error(`The provider refused a view: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    if (patient) await compactor.settled();
  };
  return player;
}

/** The requests that asked for a summary. */
export function summaryRequests(provider: FakeProvider): FakeProvider["requests"] {
  return provider.requests.filter(({ lastUser }) =>
    /record of the|Write one record|Write the draft again/.test(lastUser),
  );
}

/** The compactions among the results. */
export function compactions(player: Player): FitResult<ChatMessage>[] {
  return player.results.filter(({ report }) => report.outcome === "compacted");
}
