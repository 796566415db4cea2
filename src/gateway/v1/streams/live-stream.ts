import type { HostState } from "../../../core/types.ts";
import { createStreamSession } from "../../../stream/create-stream-session.ts";
import type { StreamOptions } from "../../../stream/settings.ts";
import type { PushResult, Said, StreamEvent, StreamStatus, StreamTrace } from "../../../stream/types.ts";
import { charsCounter } from "../../../tokens/index.ts";
import { type HostCacheOptions, type HostCommand, type HostReply, hostCache } from "./host-cache.ts";

/** What a host is answered: what to do now, and what came of what it told. */
interface StreamAnswer {
  readonly do: readonly HostCommand[];
  /** The host's model must speak, as the last command says. Nothing goes on before its reply. */
  readonly wantsReply: boolean;
  readonly said: readonly Said[];
  readonly managed: readonly StreamTrace[];
  readonly status: StreamStatus;
}

/** What is told to whoever watches a stream. */
export type StreamNews =
  | { readonly type: "said"; readonly said: Said }
  | { readonly type: "managed"; readonly managed: StreamTrace };

/** A session whose cache is in another program. */
export type LiveStream = ReturnType<typeof openLiveStream>;

const NOTHING: PushResult = { said: [], managed: [] };

const joined = (one: PushResult, two: PushResult): PushResult => ({
  said: [...one.said, ...two.said],
  managed: [...one.managed, ...two.managed],
});

export function openLiveStream({
  tenant,
  at,
  summaries,
  onLate,
  ...options
}: Omit<StreamOptions, "cache"> & HostCacheOptions & { readonly tenant: string; readonly at: number }) {
  const host = hostCache(charsCounter(), { summaries, onLate });
  const session = createStreamSession({ ...options, cache: host.cache });
  const listeners = new Set<(news: StreamNews) => void>();
  let turn: Promise<unknown> = Promise.resolve();
  let running: Promise<PushResult> | undefined;
  /** What the host hasn't been told yet. */
  let news = NOTHING;
  let hostLength: number | undefined;

  /** Goes on until the work is done, or until the host's model must speak. */
  const settle = async (): Promise<void> => {
    const done = await Promise.race([running, host.wanted().then(() => undefined)]);
    if (!done) return;
    running = undefined;
    for (const said of done.said) publish({ type: "said", said });
    for (const managed of done.managed) publish({ type: "managed", managed });
    news = joined(news, done);
  };
  const goOn = async (): Promise<StreamAnswer> => {
    await settle();
    return answer();
  };
  const start = (work: () => Promise<PushResult>): Promise<StreamAnswer> => {
    running = work();
    // A failure is told to whoever waits for the work; nobody else needs it.
    running.catch(() => {
      running = undefined;
    });
    return goOn();
  };
  const answer = (): StreamAnswer => {
    const { said, managed } = news;
    news = NOTHING;
    const wantsReply = host.awaited !== undefined;
    return { do: host.take(), wantsReply, said, managed, status: session.status() };
  };
  const publish = (one: StreamNews): void => {
    for (const listener of listeners) listener(one);
  };
  const compact = async (): Promise<PushResult> => {
    const managed = await session.compact();
    const fed = await session.flush();
    return joined({ said: [], managed: [managed] }, fed);
  };

  return {
    tenant,
    /** Epoch milliseconds of the last request. */
    usedAt: at,
    /** What was done so far, as lines: their number, and those at the end that the store hasn't got. */
    lines: 0,
    unsaved: [] as string[],
    /** One request after the other. */
    inTurn<T>(work: () => Promise<T>): Promise<T> {
      const result = turn.then(work);
      turn = result.catch(() => {});
      return result;
    },
    /** The id of what the host's model is to say, while that is waited for. */
    get awaited() {
      return host.awaited;
    },
    /** What opening it leads to. */
    begin: () => start(() => session.flush()),
    push(event: StreamEvent, tokens: number | undefined) {
      if (event.type === "turn" && tokens !== undefined) host.report(event.role, event.text, tokens);
      return start(async () => {
        // The host's cache is fuller than precis's estimates say: it is managed at once.
        const first = (hostLength ?? 0) >= session.status().limit ? await compact() : NOTHING;
        hostLength = undefined;
        return joined(first, await session.push(event));
      });
    },
    reply(reply: HostReply) {
      host.reply(reply);
      return goOn();
    },
    /** The host's model took too long: goes on without it. What that leads to, the next answer says. */
    async giveUp(awaited: string) {
      if (host.awaited !== awaited) return;
      host.giveUp();
      await settle();
    },
    compact: () => start(compact),
    tooLong: host.tooLong,
    /** Lengths that the host measured: of its items, and of its whole cache. */
    measured(lengths: Readonly<Record<string, number>>, length: number | undefined) {
      hostLength = length;
      host.reportLengths(lengths);
    },
    /** The host's own list of steps. */
    setSteps(steps: HostState | undefined) {
      session.setSteps(steps);
      return answer();
    },
    status: () => session.status(),
    contents: host.contents,
    trace: session.trace,
    watch(listener: (news: StreamNews) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
