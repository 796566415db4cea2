import { type Json, textOf } from "../../../apis/shared/fields.ts";
import type { GatewayConfig, SummarizerConfig } from "../../../config/gateway-schema.ts";
import { pickTuning, withoutUnset } from "../../../config/tuning-schema.ts";
import { defined } from "../../../core/collections.ts";
import { parseExact } from "../../../core/json.ts";
import { STRATEGY_NAMES } from "../../../core/options.ts";
import { STRATEGY_WORDS } from "../../../core/words.ts";
import { windowOf } from "../../../models/shared/served-window.ts";
import { profiles } from "../../../profiles/index.ts";
import type { RequestFilter, RequestSums, StoredRequest } from "../../../stores/server-store.ts";
import { percentileOf } from "../../../stores/shared/latency.ts";
import { PAGE } from "../../../stores/shared/pages.ts";
import { schemas } from "../../api/schemas.ts";
import {
  CHAT_SETTINGS,
  type ChatSettings,
  type ProfileName,
  type Setting,
  type SettingsAnswer,
  settingsOf,
} from "../../api/settings.ts";
import {
  type LiveEvent,
  type ModelChoice,
  type ModelsAnswer,
  REQUEST_KINDS,
  REQUEST_OUTCOMES,
  REQUEST_SORTS,
  type Status,
  TOTALS_BY,
  type Totals,
  type TotalsPart,
  type TotalsQuery,
} from "../../api.ts";
import { adviceOn } from "../../conversation/advice.ts";
import {
  changed,
  changeGlobalSettings,
  isThrownAway,
  readGlobalSettings,
} from "../../conversation/chat-settings.ts";
import { checkSettings, setsSomething } from "../../conversation/loaded.ts";
import { detailsOf, receiptsIn, rowsOf } from "../../conversation/timeline.ts";
import { isOnlyClient } from "../../http/admit.ts";
import { notFound, RequestFault } from "../../http/request-fault.ts";
import { NOBODY } from "../../requests/requests.ts";
import { CLIENT_LEFT, factOf } from "../../requests/running-request.ts";
import { headersFor, keyOwner, shownAddress, type Upstream } from "../../upstream/upstream.ts";
import { listsOf, MODELS_PATH } from "../../v1/list-models.ts";
import { wireOfDialect } from "../../wires/index.ts";
import {
  type ApiContext,
  bodyToStore,
  given,
  type Handlers,
  invalid,
  numberQuery,
  oneOf,
  type PageParts,
} from "../context.ts";
import { eventStream } from "../event-stream.ts";
import { sentAgain } from "../sent-again.ts";

/** What the conversations of requests are called: their titles, or the sessions that they were named as. */
async function titlesOf(
  { conversations }: Pick<PageParts["store"], "conversations">,
  tenant: string,
  requests: readonly Pick<StoredRequest, "conversation">[],
): Promise<ReadonlyMap<string | undefined, string>> {
  const ids = [...new Set(requests.flatMap(({ conversation }) => conversation ?? []))];
  const titles = new Map<string, string>();
  for (let from = 0; from < ids.length; from += PAGE.max) {
    const some = { ids: ids.slice(from, from + PAGE.max), archived: "all", limit: PAGE.max } as const;
    const { conversations: found } = await conversations.list(tenant, some);
    for (const { id, title, session } of found) titles.set(id, title || session);
  }
  return titles;
}

export const statusHandlers = {
  status: async ({ gateway }) => statusOf(gateway),

  models: (context) => models(context),

  totals: (context) => totals(context),

  settings: async ({ gateway, tenant }) => settingsAnswer(gateway, await readGlobalSettings(gateway, tenant)),

  async changeSettings(context) {
    const { gateway, tenant } = context;
    const changes = await bodyToStore(context, schemas.settings);
    const settings = changed(await readGlobalSettings(gateway, tenant), changes);
    if (setsSomething(changes)) {
      const wire = wireOfDialect("openai-chat");
      await checkSettings(gateway, { tenant, wire, model: settings.model ?? "", settings, own: settings });
    }
    const stored = await changeGlobalSettings(gateway, tenant, (now) => changed(now, changes));
    gateway.live.send(tenant, { type: "settings" });
    return settingsAnswer(gateway, stored);
  },

  async requests(context) {
    const { gateway, tenant, query } = context;
    const limit = numberQuery(context, "limit");
    await gateway.requests.flush();
    const found = await gateway.store.requests.list(tenant, {
      ...filterOf(context),
      kinds: kindsOf(context),
      before: given(query("before")),
      sort: oneOf(context, "sort", REQUEST_SORTS),
      order: oneOf(context, "order", ["desc", "asc"]),
      ...(limit !== undefined && { limit }),
    });
    const titles = await titlesOf(gateway.store, tenant, found);
    return {
      requests: found.map((row) => ({ ...factOf(row), ...defined({ title: titles.get(row.conversation) }) })),
    };
  },

  async requestRecord({ gateway, tenant, param }) {
    await gateway.requests.flush();
    const { store } = gateway;
    const row = await store.requests.get(tenant, param("id"));
    if (!row) throw notFound(`request ${JSON.stringify(param("id"))}`);
    const { conversation, message } = row;
    const chat = conversation === undefined ? undefined : await store.conversations.get(tenant, conversation);
    const isShown = chat !== undefined && !isThrownAway(chat);
    const leaf = row.answer ?? message;
    const path = isShown && leaf ? await store.conversations.read(tenant, chat.id, { leaf }) : [];
    const last = path.findIndex(({ hash }) => hash === message);
    const isGone = conversation !== undefined && !isShown;
    const rows = isShown ? await rowsOf(gateway, tenant, chat.id) : [];
    const { compactions } = receiptsIn(rows);
    const receipt = compactions.find(({ checkpoint }) => checkpoint === row.checkpoint);
    const { reply, ...details } = detailsOf(row);
    const { deferred, facts = [] } = details;
    const said = facts.flatMap((fact) => (fact.type === "summary" ? fact.summary.text : []));
    const isAnswered = (row.kind === "client" && row.status < 400) || row.kind === "page";
    const answer = isAnswered
      ? path.slice(last + 1).map(({ wire }) => parseExact(wire))
      : isShown
        ? reply !== undefined
          ? [reply]
          : said
        : [];
    const shown = !isGone ? row : { ...row, conversation: undefined, message: undefined, error: undefined };
    return {
      ...factOf(shown),
      checkpoint: row.checkpoint,
      ...(receipt && { receipt }),
      ...(deferred && { deferred }),
      advice: await adviceOn(store, tenant, {
        rows: rows.slice(0, rows.findIndex(({ id }) => id === row.id) + 1),
        dialect: wireOfDialect(chat?.dialect).dialect,
      }),
      details: isGone || Object.keys(details).length === 0 ? undefined : details,
      sent: await sentAgain(gateway, tenant, shown),
      answer,
      ...(answer.length === 0 && { noAnswer: noAnswer(row, isGone) }),
      last: last < 0 ? undefined : last,
    };
  },

  events: (context) => liveStream(context),
} satisfies Partial<Handlers>;

/** Why nothing can be shown as the answer of a request. */
function noAnswer({ kind, status, conversation }: StoredRequest, isGone: boolean): string {
  if (status === CLIENT_LEFT) return "It was stopped before it was complete.";
  if (status >= 400) return "It failed.";
  if (kind === "compaction") return "What a model was asked for it are requests of their own.";
  if (isGone || conversation === undefined) return "Its conversation isn't in the store.";
  return "No answer of it is in the store.";
}

const SOURCES = [...REQUEST_KINDS, "all"] as const;

/** Without a wish those that somebody sent; of one conversation all that there were. */
function kindsOf(context: ApiContext): RequestFilter["kinds"] {
  const from = oneOf(context, "from", SOURCES);
  if (from === "all") return undefined;
  if (from !== undefined) return [from];
  return given(context.query("conversation")) === undefined ? ["client", "page"] : undefined;
}

function filterOf(context: ApiContext): RequestFilter {
  const { query } = context;
  const outcome = oneOf(context, "outcome", REQUEST_OUTCOMES);
  return {
    model: given(query("model")),
    client: given(query("client")),
    search: given(query("search")),
    conversation: given(query("conversation")),
    ...(outcome === "failed"
      ? { failed: true }
      : outcome !== undefined && { outcome, ...(outcome !== "refused" && { failed: false }) }),
    ...rangeOf(context),
  };
}

function rangeOf(context: ApiContext): Pick<RequestFilter, "from" | "to"> {
  const [from, to] = [numberQuery(context, "since"), numberQuery(context, "until")];
  if (from === undefined || to === undefined || from < to) return { from, to };
  throw invalid("until", `${to} isn't after since, ${from}`, "Give a later time.");
}

type SumName = Exclude<
  keyof RequestSums,
  "kind" | "model" | "client" | "start" | "since" | "latency" | "leastMs" | "mostMs"
>;
const add = (of: readonly RequestSums[], name: SumName) => of.reduce((sum, one) => sum + one[name], 0);
const addAll = <const N extends SumName>(of: readonly RequestSums[], ...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, add(of, name)])) as Record<N, number>;

/** What sums come to, with summaries apart. */
function addedUp(sums: readonly RequestSums[]) {
  const asked = sums.filter(({ kind }) => kind === "client" || kind === "page");
  const cost = add(
    sums.filter(({ kind }) => kind === "summary"),
    "spend",
  );
  return {
    ...addAll(asked, "requests", "errors", "input", "cacheRead", "output", "spend", "repeated"),
    compactions: add(sums, "compactions"),
    tokensSaved: add(asked, "tokensBefore") - add(asked, "tokensAfter") + add(asked, "spared"),
    cost,
    net: add(asked, "saved") - cost,
    ms: add(asked, "ms") / Math.max(1, add(asked, "requests")),
    p50: percentileOf(asked, 0.5),
    p95: percentileOf(asked, 0.95),
  };
}

/** What requests come to. */
async function totals(context: ApiContext): Promise<Totals> {
  const { gateway, tenant, client } = context;
  await gateway.requests.flush();
  const { store } = gateway;
  const filter = filterOf(context);
  const from = oneOf(context, "from", SOURCES);
  const by = oneOf(context, "by", TOTALS_BY);
  const every = everyOf(context);
  const sums = await store.requests.totals(tenant, {
    ...filter,
    every,
    ...(from && from !== "all" && { kinds: [from] }),
  });
  const { counts, bytes } = await store.upkeep.stats(tenant);
  const asked = sums.filter(({ kind }) => kind === "client" || kind === "page");
  const names = (name: "model" | "client") => [...new Set(asked.flatMap((one) => one[name] || []))].sort();
  // Who isn't the only client isn't told what others were refused.
  const whose = isOnlyClient(client) ? [tenant, NOBODY] : [tenant];
  const refused: Record<string, number> = {};
  for (const one of whose)
    for (const { reason, count } of await store.requests.refusals(one, filter))
      refused[reason] = (refused[reason] ?? 0) + count;
  if ((filter.outcome ?? "refused") === "refused") {
    const { requests } = addAll(
      await store.requests.totals(tenant, { ...filter, outcome: "refused" }),
      "requests",
    );
    if (requests > 0) refused["too-long"] = requests;
  }
  return {
    ...addedUp(sums),
    since: Math.min(gateway.now(), ...sums.map(({ since }) => since)),
    ...addAll(asked, "tokensBefore", "tokensAfter", "rejected", "loops"),
    unpriced: add(sums, "unpriced"),
    refused,
    models: names("model"),
    clients: names("client"),
    conversations: counts.conversations,
    messages: counts.messages,
    // Of the whole database: among several tenants it tells what the others do.
    storeBytes: isOnlyClient(client) ? bytes : undefined,
    ...((by !== undefined || every !== undefined) && { parts: partsOf(sums, by) }),
  };
}

/** Sums by time, and by model or client. */
function partsOf(sums: readonly RequestSums[], by: TotalsQuery["by"]): readonly TotalsPart[] {
  const nameOf = (one: RequestSums) => (by === undefined ? "" : one[by]);
  const groups = Map.groupBy(sums, (one) => JSON.stringify([one.start ?? 0, nameOf(one)]));
  return [...groups.values()]
    .map((some): TotalsPart => {
      const { start } = some[0]!;
      return { ...(start !== undefined && { at: start }), name: nameOf(some[0]!), ...addedUp(some) };
    })
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0) || (a.name < b.name ? -1 : 1));
}

const MOST_STRETCHES = 1_000;
const LEAST_STRETCH_MS = 60_000;

/** Stretches of time that a chart can show, and a server can add up. */
function everyOf(context: ApiContext): number | undefined {
  const every = numberQuery(context, "every");
  if (every === undefined) return undefined;
  const since = numberQuery(context, "since");
  if (since === undefined)
    throw invalid("every", "it needs the time from which to count", "Give since, too.");
  const stretches = ((numberQuery(context, "until") ?? Date.now()) - since) / every;
  if (every >= LEAST_STRETCH_MS && stretches <= MOST_STRETCHES) return every;
  const what = `there are at most ${MOST_STRETCHES} stretches of at least ${LEAST_STRETCH_MS} ms`;
  throw invalid("every", what, "Give a longer one, or a shorter time with since and until.");
}

async function models(context: ApiContext): Promise<ModelsAnswer> {
  const { gateway, headers, client } = context;
  const problems: ModelsAnswer["problems"][number][] = [];
  const asked = listsOf(gateway, headers, client);
  const lists = await Promise.all(
    gateway.upstreams.map(async (upstream, index) => {
      try {
        const listed = await asked[index]!;
        await learnWindows(context, upstream, listed);
        return listed.flatMap((one): ModelChoice[] => {
          const id = textOf(one["id"]);
          if (id === undefined) return [];
          const info = gateway.windows.of(upstream, id, client.tenant);
          return [
            {
              id,
              upstream: upstream.name,
              window: info.window,
              windowFrom: info.from,
              output: info.output,
              prices: info.prices,
            },
          ];
        });
      } catch (error) {
        const isKey = error instanceof RequestFault && error.code === "upstream-key";
        const wantsKey = isKey && upstream.config.apiKey === undefined;
        problems.push({
          upstream: upstream.name,
          message: `Its models can't be listed: ${error instanceof Error ? error.message : String(error)}`,
          fix: isKey
            ? gateway.ownUpstreams.has(upstream.name)
              ? `Remove ${upstream.name} in Settings and add it again with its key.`
              : `Set apiKey of ${upstream.name} in the server's config to a key that it knows.`
            : "Check that it is running; a model can be named by hand all the same.",
          ...(wantsKey && { wantsKey }),
        });
        return [];
      }
    }),
  );
  return { models: lists.flat(), problems };
}

/** A server with more models than this isn't asked for the window of each. */
const MOST_ASKED = 16;

/** Learns what a list of models tells of windows that aren't known. A server with few models that doesn't tell it there is asked. */
async function learnWindows(
  { gateway, headers, client }: ApiContext,
  upstream: Upstream,
  listed: readonly Json[],
): Promise<void> {
  const { tenant, keyIsOurs } = client;
  const { windows, upstreams } = gateway;
  for (const one of listed) {
    const id = textOf(one["id"]);
    const window = id === undefined ? undefined : windowOf(one);
    if (id !== undefined && window !== undefined) windows.setWindow(upstream, id, tenant, window);
  }
  if (listed.length > MOST_ASKED) return;
  const given = headersFor(upstream, keyOwner(upstreams, MODELS_PATH, headers), headers);
  await Promise.all(
    listed.map((one) =>
      gateway.askWindow({ upstream, model: textOf(one["id"]) ?? "", tenant, headers: given, keyIsOurs }),
    ),
  );
}

/** `/api/events`: what happens, as it happens; after a lost connection from where it was. */
async function liveStream({ gateway, tenant, headers, signal }: ApiContext): Promise<Response> {
  const lastId = headers["last-event-id"];
  // A server that is about to stop lets its pages go, so that they find the next one.
  const end = AbortSignal.any([signal, gateway.draining]);
  return eventStream<LiveEvent>(signal, (send) => {
    const listening = gateway.live.listen(
      tenant,
      typeof lastId === "string" && lastId !== "" ? lastId : undefined,
      ({ id, event }) => send(event, id),
    );
    const start = listening.replay.length === 0 || lastId === undefined ? listening.id : String(lastId);
    send({ type: "hello", missed: listening.missed }, start);
    for (const { id, event } of listening.replay) send(event, id);
    return new Promise<void>((resolve) => {
      const stop = (): void => {
        listening.stop();
        resolve();
      };
      if (end.aborted) stop();
      else end.addEventListener("abort", stop, { once: true });
    });
  });
}

/** What a page is told of the server before anything else. */
export function statusOf(
  parts: Pick<PageParts, "config" | "store" | "upstreams" | "version" | "ownUpstreams" | "canAddModels">,
): Status {
  const { config, store, upstreams, version, ownUpstreams, canAddModels } = parts;
  const { summarizer } = config;
  return {
    version,
    store: config.store ? store.kind : "memory",
    noStore: !config.store,
    observe: config.observe,
    hasUpstream: upstreams.length > 0,
    canAddModels,
    profile: config.profile ?? "agent",
    upstreams: upstreams.map(({ name, config: own, dialects }) => ({
      name,
      baseURL: shownAddress(own.baseURL),
      dialects,
      keys: own.apiKey !== undefined ? ("server" as const) : ("client" as const),
      isOwn: ownUpstreams.has(name),
    })),
    summarizer:
      upstreams.length === 0 || summarizer === "extractive"
        ? undefined
        : summarizer === "same"
          ? "the chat's own model"
          : summarizer.model,
  };
}

/** The defaults of the options. */
const BUILT_IN: ChatSettings = Object.fromEntries(
  Object.entries<Setting>(CHAT_SETTINGS).flatMap(([name, { kind }]) =>
    "default" in kind ? [[name, kind.default]] : [],
  ),
);

/** The settings of all chats, and what holds where they say nothing. */
function settingsAnswer(
  { config, upstreams }: Pick<PageParts, "config" | "upstreams">,
  settings: SettingsAnswer["settings"],
): SettingsAnswer {
  const hasModels = upstreams.length > 0;
  return {
    settings,
    given: {
      upstreams: Object.fromEntries(
        upstreams.map(({ name, config: own }) => [name, configured(own, own.summarizer)]),
      ),
      config: {
        ...configured(config, hasModels && config.summarizer !== "same" ? config.summarizer : undefined),
        ...(config.window !== undefined && { window: config.window }),
      },
      profiles: Object.fromEntries(
        Object.entries(profiles).map(([name, profile]) => [name, settingsOf(profile)]),
      ) as Record<ProfileName, ChatSettings>,
      builtIn: {
        ...BUILT_IN,
        profile: "agent",
        tools: [],
        // Without a model nobody else can write them.
        summarizer: hasModels ? "same" : "extractive",
      },
    },
    profiles: Object.keys(profiles) as SettingsAnswer["profiles"][number][],
    strategies: STRATEGY_NAMES.map((name) => ({ name, ...STRATEGY_WORDS[name] })),
  };
}

/** What a config, or one of its upstreams, sets. */
function configured(
  from: Pick<GatewayConfig, "profile" | "strategy" | "budget" | "tools"> & Parameters<typeof pickTuning>[0],
  summarizer: SummarizerConfig | undefined,
): ChatSettings {
  const { profile, strategy, budget, tools } = from;
  const set = withoutUnset({
    ...settingsOf(pickTuning(from)),
    profile,
    strategy,
    budget,
    summarizer: typeof summarizer === "object" ? summarizer.model : summarizer,
  }) as ChatSettings;
  return { ...set, ...(tools && { tools }) };
}
