import type { HostState } from "../../../core/types.ts";
import { createStreamSession } from "../../../stream/create-stream-session.ts";
import type { StreamOptions } from "../../../stream/settings.ts";
import type { PushResult, Said, StreamEvent, StreamStatus, StreamTrace } from "../../../stream/types.ts";
import { RequestFault } from "../../http/request-fault.ts";
import type { HostCache, HostCommand, HostReply } from "./host-cache.ts";

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
export interface LiveStream {
  readonly tenant: string;
  /** Epoch milliseconds of the last request. */
  usedAt: number;
  /** What opening it leads to. */
  begin(): Promise<StreamAnswer>;
  push(event: StreamEvent, tokens: number | undefined): Promise<StreamAnswer>;
  reply(reply: HostReply): Promise<StreamAnswer>;
  compact(): Promise<StreamAnswer>;
  /** Lengths that the host measured: of its items, and of its whole cache. Returns the id of frames that can't be so long. */
  measured(lengths: Readonly<Record<string, number>>, length: number | undefined): string | undefined;
  /** The host's own list of steps. */
  setSteps(steps: HostState | undefined): StreamAnswer;
  status(): StreamStatus;
  readonly trace: readonly StreamTrace[];
  watch(listener: (news: StreamNews) => void): () => void;
}

const NOTHING: PushResult = { said: [], managed: [] };

export function openLiveStream(
  options: Omit<StreamOptions, "cache"> & {
    readonly cache: HostCache;
    readonly tenant: string;
    readonly at: number;
  },
): LiveStream {
  const { cache, tenant } = options;
  const session = createStreamSession(options);
  const listeners = new Set<(news: StreamNews) => void>();
  let running: Promise<PushResult> | undefined;
  let hostLength: number | undefined;

  /** Goes on until the work is done, or until the host's model must speak. */
  const goOn = async (): Promise<StreamAnswer> => {
    const work = running;
    if (!work) return answer(NOTHING);
    const done = await Promise.race([work, cache.wanted().then(() => undefined)]);
    if (!done) return answer(NOTHING);
    running = undefined;
    for (const said of done.said) tell({ type: "said", said });
    for (const managed of done.managed) tell({ type: "managed", managed });
    return answer(done);
  };
  const start = (work: () => Promise<PushResult>): Promise<StreamAnswer> => {
    if (running)
      throw new RequestFault(
        409,
        "reply-awaited",
        "precis: the stream waits for what the model says. POST its reply first.",
      );
    running = work();
    // A failure is told to whoever waits for the work; nobody else needs it.
    running.catch(() => {
      running = undefined;
    });
    return goOn();
  };
  const answer = ({ said, managed }: PushResult): StreamAnswer => ({
    do: cache.take(),
    wantsReply: cache.isWaiting,
    said,
    managed,
    status: session.status(),
  });
  const tell = (news: StreamNews): void => {
    for (const listener of listeners) listener(news);
  };
  const compact = async (): Promise<PushResult> => {
    const managed = await session.compact();
    const fed = await session.flush();
    return { said: fed.said, managed: [managed, ...fed.managed] };
  };

  return {
    tenant,
    usedAt: options.at,
    begin: () => start(() => session.flush()),
    push(event, tokens) {
      if (event.type === "turn" && tokens !== undefined) cache.report(event.role, event.text, tokens);
      return start(async () => {
        // The host's cache is fuller than precis's estimates say: it is managed at once.
        const first = (hostLength ?? 0) >= session.status().limit ? await compact() : NOTHING;
        hostLength = undefined;
        const then = await session.push(event);
        return { said: [...first.said, ...then.said], managed: [...first.managed, ...then.managed] };
      });
    },
    reply(reply) {
      if (!cache.isWaiting)
        throw new RequestFault(409, "no-reply-awaited", "precis: the stream waits for no reply.");
      cache.reply(reply);
      return goOn();
    },
    compact: () => start(compact),
    measured(lengths, length) {
      hostLength = length;
      return cache.reportLengths(lengths);
    },
    setSteps(steps) {
      session.setSteps(steps);
      return answer(NOTHING);
    },
    status: () => session.status(),
    trace: session.trace,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
