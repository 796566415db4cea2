import { routes, type StreamReplayAnswer, type StreamReplayInput } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { type Api, explain } from "./api-client.ts";
import { keepText, keptJson } from "./kept.ts";
import { createStore, type Store } from "./store.ts";
import { readTimeline } from "./stream-file.ts";

export type StreamOptions = Pick<StreamReplayInput, "strategy" | "window" | "tokensPerFrame" | "pick">;

interface StreamState {
  readonly file: { readonly name: string; readonly text: string } | undefined;
  readonly options: StreamOptions;
  readonly answer: StreamReplayAnswer | undefined;
  /** It was replayed somewhere else: only looking is possible. */
  readonly isFinished: boolean;
  readonly isRunning: boolean;
  readonly error: { readonly message: string; readonly fix?: string } | undefined;
}

/** A recorded stream that is looked at. It lives in this tab only. */
export interface StreamReplay {
  readonly store: Store<StreamState>;
  open(name: string, text: string): Promise<void>;
  change(options: StreamOptions): Promise<void>;
  /** Opens again what was looked at before the page was loaded anew. */
  resume(): Promise<void>;
}

export function createStreamReplay(api: Api): StreamReplay {
  const store = createStore<StreamState>({
    file: undefined,
    options: {},
    answer: undefined,
    isFinished: false,
    isRunning: false,
    error: undefined,
  });
  let question = 0;
  const run = async () => {
    const { file, options } = store.get();
    if (!file) return;
    keepRecording({ ...file, options });
    question += 1;
    const mine = question;
    store.set({ isRunning: true, error: undefined });
    try {
      const finished = readTimeline(file.name, file.text);
      const answer = finished ?? (await api.call(routes.replayStream, { body: { file, ...options } }));
      if (mine === question) store.set({ answer, isFinished: finished !== undefined, isRunning: false });
    } catch (error) {
      if (mine === question) store.set({ error: explain(error), isRunning: false });
    }
  };
  return {
    store,
    async open(name, text) {
      store.set({ file: { name, text }, options: {}, answer: undefined });
      await run();
    },
    async change(options) {
      store.set({ options });
      await run();
    },
    async resume() {
      const kept = store.get().file ? undefined : readRecording();
      if (kept === undefined) return;
      const { name, text, options } = kept;
      if (text === undefined) {
        store.set({ error: { message: strings.stream.notKept(name), fix: strings.stream.notKeptFix } });
        return;
      }
      store.set({ file: { name, text }, options });
      await run();
    },
  };
}

/** A recorded stream that is looked at in this tab. A recording that the browser has no room for is kept by its name only. */
interface KeptRecording {
  readonly name: string;
  readonly text?: string;
  readonly options: StreamOptions;
}

const KEY = "precis.recording";

/** Keeps a recording over reloads of this tab. */
function keepRecording(recording: Required<KeptRecording>): void {
  const { name, options } = recording;
  const keep = (what: KeptRecording | undefined) =>
    keepText(globalThis.sessionStorage, KEY, what && JSON.stringify(what));
  if (!keep(recording) && !keep({ name, options })) keep(undefined);
}

const readRecording = (): KeptRecording | undefined =>
  keptJson(globalThis.sessionStorage, KEY) as KeptRecording | undefined;
