import type { IncomingHttpHeaders } from "node:http";
import { crc32 } from "node:zlib";
import { defined } from "../../core/collections.ts";
import { BudgetImpossibleError } from "../../core/errors.ts";
import { stringifyDeep } from "../../core/json.ts";
import { leadLength } from "../../core/rounds.ts";
import type { Prices, RecalledPassage, Report, Usage } from "../../core/types.ts";
import type { NewRequest } from "../../stores/server-store.ts";
import { timeOrderedId } from "../../stores/shared/time-ordered-id.ts";
import { billOf, type Deferred, isOfClient, sentAfter } from "../../tokens/billing.ts";
import { spendOf } from "../../tokens/model-info.ts";
import { OWN_WORDS } from "../api/events.ts";
import type { DeferredTools, RequestFact, TimelineFact } from "../api.ts";
import type { CacheTimes } from "../compaction/learned.ts";
import type { ConversationCacheEntry } from "../conversation/memory.ts";
import { programOf } from "../conversation/named-by-client.ts";
import type { RowDetails } from "../conversation/timeline.ts";
import { type Client, isOnlyClient } from "../http/admit.ts";
import type { Wire } from "../wires/index.ts";
import { compactedFact, describeFailure } from "./describe-failure.ts";

/** Something that happened in a request while it went on. */
export type Happening =
  /** A view was made for it. */
  | { readonly type: "fitted"; readonly report: Report; readonly ms: number; readonly isObserved: boolean }
  /** A summary was made that the client had asked the provider for. */
  | { readonly type: "summarised"; readonly report: Report; readonly tokens: number }
  /** The upstream refused it as too long. */
  | {
      readonly type: "rejected";
      readonly tokens: number | undefined;
      readonly limit: number | undefined;
      readonly learned: unknown;
    }
  /** What came of a smaller one. */
  | { readonly type: "retried"; readonly result: "fitted" | "failed" | "impossible" }
  /** The model called one of precis's own tools, */
  | { readonly type: "tool-call"; readonly tool: string }
  /** and was answered without its client. `isLoading`: it asked for declarations of tools alone. */
  | { readonly type: "hidden-round"; readonly usage: Usage | undefined; readonly isLoading: boolean }
  /** The same tool round came back again and again after a compaction. */
  | { readonly type: "loop"; readonly tool: string; readonly rounds: number }
  /** The newest answer had asked again for what a compaction hides. */
  | { readonly type: "repeated"; readonly checkpoint: string; readonly calls: readonly string[] }
  /** Whoever did it says what the timeline shows. It may come after the end of the request: then it has a record of its own. */
  | { readonly type: "noted"; readonly fact: TimelineFact };

/** Hears of requests. Whoever serves them knows none of those who do. */
export interface RequestListener {
  begun?(request: RunningRequest): void;
  /** Runs what is done for it once it is known what it asks for; also what goes on in the background afterwards. */
  run?<T>(request: RunningRequest, work: () => T): T;
  /** For those who can't wait for the end: people who look at it. */
  happened?(request: RunningRequest, what: Happening): void;
  ended(request: RunningRequest): void;
}

/** What a request asks for, once it was read. */
export interface AskedRequest {
  readonly upstream: { readonly name: string } | undefined;
  readonly asked: { readonly model: string; readonly transcript: readonly unknown[] };
  readonly wire?: Pick<Wire, "dialect">;
  /** Undefined where nothing is recorded. */
  readonly recording:
    | {
        readonly known: Partial<Pick<ConversationCacheEntry, "lastRequestAt" | "sent">> &
          Pick<ConversationCacheEntry, "id">;
        readonly hadRequest: boolean;
      }
    | undefined;
  readonly arrivedAt?: number;
}

/** What is known of the provider that answers: its prices, and how long somebody said that it keeps a prompt. */
interface ProviderFacts {
  readonly prices?: Prices | undefined;
  readonly cacheMs?: number | undefined;
}

/** A request as it leaves for the upstream. */
export interface SentRequest {
  readonly action: RequestFact["outcome"];
  readonly body: Buffer;
  readonly report: Report | undefined;
}

/** Who asks; a server itself has no name. */
type Asker = Pick<Client, "tenant"> & Partial<Pick<Client, "id">> & { readonly name?: string | undefined };

export interface RequestStart {
  readonly kind: NewRequest["kind"];
  readonly api: string;
  /** No model answers it. */
  readonly isPassedOn?: boolean;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly client?: Asker;
}

/** What all requests share. */
export interface RequestContext {
  readonly listeners: readonly RequestListener[];
  readonly cacheTimes: CacheTimes;
  now(): number;
  /** A text as the store may have it. */
  written(text: string): string;
}

/** The status of a request that nobody waits for any more. */
export const CLIENT_LEFT = 499;

/**
 * One request while it goes on. Whoever has a part in it says here what it knows; at its end, all of it is one record, and whoever
 * wants to know is told once.
 */
export class RunningRequest {
  readonly start: RequestStart;
  /** By the monotonic clock, and as people count. */
  readonly began = performance.now();
  readonly startedAt: number;
  client: Asker | undefined;
  turn: AskedRequest | undefined;
  /** What the model that answers costs. */
  prices: Prices | undefined;
  action: RequestFact["outcome"] = "untouched";
  report: Report | undefined;
  usage: Usage | undefined;
  status = 0;
  error: string | undefined;
  /** What it was refused for before anybody looked at it. */
  refusal: string | undefined;
  readonly happenings: Happening[] = [];
  /** Why it was made, and in which request, where nobody sent it through here. */
  reason: string | undefined;
  cause: string | undefined;
  /** The compaction that requests stand on afterwards, where no report says it. */
  checkpoint: string | undefined;
  /** US dollars, where they don't follow from tokens. */
  spend: number | undefined;
  /** Declarations that wait until the model asks for them; undefined where none do. */
  deferred: (DeferredTools & Deferred) | undefined;
  /** What was answered, where no message of the store says it. */
  reply: string | undefined;
  ownMs: number | undefined;
  firstMs: number | undefined;
  /** The row is in the store. */
  isStored = false;
  readonly #context: RequestContext;
  #sent: SentRequest | undefined;
  #fields: (() => unknown) | undefined;
  #details: (() => object) | undefined;
  /** When the request before it was sent. */
  #lastRequestAt: number | undefined;
  #cacheMs: number | undefined;
  #id: string | undefined;
  #row: NewRequest | undefined;

  constructor(start: RequestStart, context: RequestContext) {
    this.start = start;
    this.client = start.client;
    this.#context = context;
    this.startedAt = context.now();
    for (const one of context.listeners) one.begun?.(this);
  }

  get now(): number {
    return this.#context.now();
  }

  /** A text as the store may have it. */
  written(text: string): string {
    return this.#context.written(text);
  }

  get tenant(): string | undefined {
    return this.client?.tenant;
  }

  /** The name of the client's key; where there are no keys, the program that asks. */
  get clientName(): string | undefined {
    const { client, start } = this;
    if (client?.id === undefined || !isOnlyClient({ id: client.id })) return client?.name;
    return start.kind === "client" ? programOf(start.headers) : "page";
  }

  get conversation(): string | undefined {
    return this.turn?.recording?.known.id;
  }

  /** It is one for a model to answer, as far as is known. */
  get hasRecord(): boolean {
    return (
      this.tenant !== undefined &&
      this.refusal === undefined &&
      (this.turn !== undefined || !this.start.isPassedOn)
    );
  }

  /** What it asks for is known now. */
  asks(turn: AskedRequest, { prices, cacheMs }: ProviderFacts): void {
    this.turn = turn;
    this.prices = prices;
    this.#cacheMs = cacheMs;
    this.#lastRequestAt = turn.recording?.known.lastRequestAt;
  }

  run<T>(work: () => T): T {
    let inner = work;
    for (const one of this.#context.listeners) {
      const run = inner;
      if (one.run) inner = () => one.run!(this, run);
    }
    return inner();
  }

  happened(what: Happening): void {
    // Its row may be on its way to the store.
    if (this.#row && what.type === "noted") this.#goesOn(what);
    else {
      this.happenings.push(what);
      for (const one of this.#context.listeners) one.happened?.(this, what);
    }
  }

  /** What came of it when it was over is a record of its own. */
  #goesOn(what: Happening): void {
    const { api } = this.start;
    const client = this.client && { tenant: this.client.tenant, name: this.clientName };
    const path = what.type === "noted" ? what.fact.type : what.type;
    const later = new RunningRequest(
      { kind: "compaction", api, path, headers: {}, ...(client && { client }) },
      this.#context,
    );
    later.turn = this.turn && { ...this.turn, asked: { model: this.turn.asked.model, transcript: [] } };
    later.cause = this.start.kind === "compaction" && this.cause !== undefined ? this.cause : this.id;
    later.happened(what);
    later.end(200);
  }

  /** It leaves for the upstream, once more where it was too long. `fields` is all of it but its messages. */
  sends(sent: SentRequest, fields: () => unknown, details: () => object): void {
    this.ownMs ??= performance.now() - (this.turn?.arrivedAt ?? this.began);
    this.#sent = sent;
    this.#fields = fields;
    this.#details = details;
    this.action = sent.action;
    this.report = sent.report;
  }

  /** The first byte of the answer is there. */
  answers(): void {
    this.firstMs ??= performance.now() - this.began;
  }

  /** It failed, for these reasons. The first ones are the truest. */
  fails(status: number, error: string): void {
    if (this.error !== undefined) return;
    this.status = status;
    this.error = error;
  }

  /** Its row, made once: with the append of its messages, or at its end. `message` and `answer` are the chain hashes of its last message and of its answer's. */
  row(message?: string, answer?: string): NewRequest {
    this.#row ??= this.#made(message, answer);
    return this.#row;
  }

  /** The id of its row, known before there is one. */
  get id(): string {
    this.#id ??= timeOrderedId(this.startedAt);
    return this.#id;
  }

  end(status: number, error?: unknown): void {
    if (error !== undefined) {
      const { code, message } = describeFailure(error);
      if (error instanceof BudgetImpossibleError && this.start.kind !== "compaction") this.action = "refused";
      if (status === 429 || this.client === undefined) this.refusal = code;
      this.fails(status, message);
    }
    if (this.error === undefined) this.status = status;
    for (const one of this.#context.listeners) one.ended(this);
  }

  /** How long its provider keeps a prompt: as somebody set it, or else as it was seen; undefined while nobody knows. */
  get cacheMs(): number | undefined {
    const { upstream, asked } = this.turn ?? {};
    return this.#cacheMs ?? (upstream && asked && this.#context.cacheTimes.of(upstream.name, asked.model));
  }

  /** How long its conversation waited for it; undefined where it is the first that this server knows of. */
  get #idleMs(): number | undefined {
    return this.#lastRequestAt ? this.startedAt - this.#lastRequestAt : undefined;
  }

  /** Rounds that its client wasn't shown: those that loaded tools, or all others. */
  #rounds(isLoading: boolean): readonly Usage[] {
    return this.happenings.flatMap((one) =>
      one.type === "hidden-round" && one.isLoading === isLoading ? (one.usage ?? []) : [],
    );
  }

  #count(type: Happening["type"]): number {
    let count = 0;
    for (const one of this.happenings) if (one.type === type) count++;
    return count;
  }

  #made(message: string | undefined, answer: string | undefined): NewRequest {
    const { start, report, usage, prices, status, action, turn } = this;
    // What was only observed, or refused, found its cache as it was.
    const isView = action === "view" || action === "compacted" || action === "pass";
    const isFailed = status >= 400;
    const { recording } = turn ?? {};
    const { known, hadRequest = false } = recording ?? {};
    const isFirst = !hadRequest;
    const idleMs = this.#idleMs;
    const { deferred } = this;
    const [loading, looking] = [this.#rounds(true), this.#rounds(false)];
    const bill =
      isView && !isFailed && (report || deferred) && usage
        ? billOf(known?.sent, { report, usage, prices, isFirst, idleMs, cacheMs: this.cacheMs, deferred })
        : undefined;
    const { saving, changed } = bill ?? {
      changed: isView && !isFailed && hadRequest ? report?.prefixReason : undefined,
    };
    if (known && !isFailed && start.kind !== "compaction") {
      const after = sentAfter(known.sent, { report, usage, hidden: bill?.hidden, isView, isFirst, deferred });
      known.sent = after.sent;
      const { upstream, asked } = turn!;
      if (after.reading && idleMs !== undefined && upstream)
        this.#context.cacheTimes.learn(upstream.name, asked.model, after.reading, idleMs);
    }
    const sent = this.#sent;
    const conversation = recording?.known.id;
    const isKept = message !== undefined || conversation !== undefined;
    const row: { -readonly [K in keyof NewRequest]: NewRequest[K] } = {
      id: this.id,
      at: this.startedAt,
      kind: start.kind,
      api: start.api,
      path: start.path,
      status: status || 200,
      outcome: action,
      ms: Math.round(performance.now() - this.began),
    };
    row.client = this.clientName;
    // A request may name none; that is no name.
    row.model = turn?.asked.model || undefined;
    row.upstream = turn?.upstream?.name;
    row.conversation = conversation;
    row.message = message;
    row.answer = answer;
    row.error = this.error === undefined ? undefined : this.written(this.error);
    row.ownMs = this.ownMs;
    row.firstMs = this.firstMs;
    row.checkpoint = this.checkpoint;
    if (report) {
      row.tokensBefore = report.tokens.transcript;
      row.tokensAfter = report.tokens.after;
      row.checkpoint = report.checkpoint;
      if (action === "compacted") row.reason = report.reason;
    }
    // Where a later round failed, those before it were paid all the same.
    const rounds = [...loading, ...looking, ...(usage ? [usage] : [])];
    if (rounds.length > 0) {
      const all = sumOf(rounds);
      row.input = all.input;
      row.cacheRead = all.cacheRead;
      row.cacheWrite = all.cacheWrite;
      row.output = all.output;
      if (prices) row.spend = spendOf(all, prices);
      if (deferred && usage) row.spared = Math.round(deferred.tokens) - sumOf(loading).input;
    }
    row.spend ??= this.spend;
    if (row.spend === undefined && usage) row.unpriced = 1;
    row.reason ??= this.reason;
    if (changed !== undefined) {
      row.cacheLost = changed;
      if (usage?.cacheRead !== undefined) row.lostSpend = saving?.rewritten;
    }
    const lookUps = prices ? spendOf(sumOf(looking), prices) : 0;
    const spared = bill && prices ? bill.deferred - spendOf(sumOf(loading), prices) : 0;
    if (saving) {
      const isOurs = changed !== undefined && changed !== "tools" && !isOfClient(changed);
      row.saved = saving.saved - (isOurs ? saving.rewritten : 0) - lookUps + spared;
    }
    if (this.happenings.length > 0) {
      const compactions = this.happenings.filter(isCompaction).length;
      if (compactions > 0) row.compactions = compactions;
      row.rejected = this.#count("rejected") || undefined;
      row.loops = this.#count("loop") || undefined;
      row.repeated =
        this.happenings.reduce((n, one) => n + (one.type === "repeated" ? one.calls.length : 0), 0) ||
        undefined;
    }
    const facts = isKept ? factsOf(this) : [];
    const details: RowDetails = {
      ...(this.cause !== undefined && { cause: this.cause }),
      ...(facts.length > 0 && { facts }),
      // Its conversation may be stored later; the store keeps no details without one.
      ...(this.reply !== undefined && { reply: this.written(this.reply) }),
      ...(lookUps > 0 && { lookUps }),
      ...(deferred && { deferred: { ...deferred, ...(saving && { saved: spared }) } }),
      ...(isKept && sent && this.#details?.()),
    };
    for (const _ in details) {
      row.details = details;
      break;
    }
    // Without its messages in the store nobody could look at it.
    if (sent && isKept) {
      row.checksum = checksumOf(sent.body);
      const fields = this.#fields?.();
      if (fields !== undefined) row.fields = this.written(stringifyDeep(fields));
    }
    return row;
  }
}

/** What rounds come to together. */
function sumOf(rounds: readonly Usage[]): Usage {
  const sum = (name: "output" | "cacheRead" | "cacheWrite"): number | undefined => {
    const said = rounds.flatMap((one) => one[name] ?? []);
    return said.length === 0 ? undefined : said.reduce((all, one) => all + one, 0);
  };
  return {
    input: rounds.reduce((all, one) => all + one.input, 0),
    ...defined({ output: sum("output"), cacheRead: sum("cacheRead"), cacheWrite: sum("cacheWrite") }),
  };
}

/**
 * Tells whether a body that is worked out again is the one that was sent. It isn't cryptographic: SHA-256 took a sixth of the
 * processor time of a request of 200 KB.
 */
export function checksumOf(body: Buffer): string {
  return `${crc32(body).toString(16)}-${body.length}`;
}

function isCompaction(what: Happening): boolean {
  if (what.type === "fitted") return what.report.outcome === "compacted";
  return what.type === "summarised" || (what.type === "noted" && what.fact.type === "compacted");
}

/** What the timeline of its conversation says about a request. */
export function factsOf(request: RunningRequest): readonly TimelineFact[] {
  const facts = request.happenings.flatMap((what): readonly TimelineFact[] => {
    switch (what.type) {
      case "fitted": {
        if (what.isObserved) return [];
        const { report, ms } = what;
        return [
          ...(report.recalled.length > 0 ? [recalledFact(request, report.recalled)] : []),
          ...(report.outcome === "compacted" ? [compactedFact(report, ms)] : []),
        ];
      }
      case "rejected":
        return [{ type: "rejected", tokens: what.tokens, limit: what.limit }];
      case "loop":
        return [{ type: "loop", tool: what.tool, rounds: what.rounds }];
      case "repeated":
        return [{ ...what, calls: what.calls.map((call) => request.written(call)) }];
      case "noted":
        return [what.fact];
      default:
        return [];
    }
  });
  return facts.map((fact) => {
    if (fact.type !== "compacted" || !fact.summaryCheck) return fact;
    const { missed, added, ...check } = fact.summaryCheck;
    const written = (names: readonly string[]) => names.map((name) => request.written(name));
    return { ...fact, summaryCheck: { ...check, missed: written(missed), added: written(added) } };
  });
}

/** The engine counts leading system messages among the messages, the API doesn't. */
function recalledFact({ turn }: RunningRequest, recalled: readonly RecalledPassage[]): TimelineFact {
  const { asked, wire } = turn!;
  const lead = leadLength(asked.transcript, (message) => wire!.dialect.read(message).role);
  return {
    type: "recalled",
    before: asked.transcript.length - 1 - lead,
    from: [...new Set(recalled.map(({ index }) => index - lead))].sort((a, b) => a - b),
    words: [...new Set(recalled.flatMap(({ words }) => words))],
  };
}

/** What only the record of a request tells. */
const OF_THE_RECORD = ["fields", "details", "message", "answer", "checksum", "checkpoint", "head"];
const NOT_SHOWN: ReadonlySet<string> = new Set([...OWN_WORDS, ...OF_THE_RECORD]);

/** A row as operators see it: a field that isn't named above is shown as it is. */
export function factOf(
  row: Omit<NewRequest, "fields" | "details" | "message" | "checksum" | "checkpoint">,
  conversation = row.conversation,
): RequestFact {
  const { input, output, cacheRead, cacheWrite, tokensBefore: before, tokensAfter: after } = row;
  const { model, kind, outcome, reason, cacheLost } = row;
  const shown = Object.entries(row).filter(([name, value]) => !NOT_SHOWN.has(name) && value !== undefined);
  return {
    model,
    ...Object.fromEntries(shown),
    conversation,
    outcome,
    tokens: before === undefined || after === undefined ? undefined : { before, after },
    ...(kind !== "client" && { from: kind }),
    ...(input !== undefined && { usage: { input, ...defined({ output, cacheRead, cacheWrite }) } }),
    ...defined({ reason, cacheLost }),
  } as RequestFact;
}
