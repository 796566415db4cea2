import { type Json, textOf } from "../../../apis/shared/fields.ts";
import { windowOf } from "../../../models/shared/served-window.ts";
import type { LiveEvent, ModelChoice, ModelsAnswer, RequestQuery } from "../../api.ts";
import { checkSettings, setsSomething } from "../../conversation/check-settings.ts";
import { changed, changeGlobalSettings, readGlobalSettings } from "../../conversation/global-settings.ts";
import { isOnlyClient } from "../../http/authenticate.ts";
import { addTotals, type TenantTotals } from "../../telemetry/totals.ts";
import { keyOwner } from "../../upstream/choose-upstream.ts";
import type { Upstream } from "../../upstream/upstream.ts";
import { listsOf, MODELS_PATH } from "../../v1/list-models.ts";
import { wireOfDialect } from "../../wires/index.ts";
import { type ApiContext, type Handlers, numberQuery, type PageParts } from "../context.ts";
import { eventStream } from "../event-stream.ts";
import { schemas } from "../schemas.ts";
import { settingsAnswer } from "../settings-answer.ts";
import { statusOf } from "../status-of.ts";

export const statusHandlers = {
  status: async ({ gateway }) => statusOf(gateway),

  models: (context) => models(context),

  async totals({ gateway, tenant, client }) {
    const { counts, bytes } = await gateway.store.upkeep.stats(tenant);
    return {
      ...(await totalsOf(gateway, tenant)),
      conversations: counts.conversations,
      messages: counts.messages,
      // Of the whole database: among several tenants it tells what the others do.
      storeBytes: isOnlyClient(client) ? bytes : undefined,
    };
  },

  settings: async ({ gateway, tenant }) => settingsAnswer(gateway, await readGlobalSettings(gateway, tenant)),

  async changeSettings(context) {
    const { gateway, tenant } = context;
    const changes = await context.body(schemas.settings);
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
    const outcome = query("outcome") as RequestQuery["outcome"];
    const from = query("from") as RequestQuery["from"];
    const wanted: RequestQuery = {
      ...(from && { from }),
      ...only("search", query("search")),
      ...only("model", query("model")),
      ...only("client", query("client")),
      ...(outcome && { outcome }),
      ...(limit !== undefined && { limit: Math.min(limit, MAX_REQUESTS) }),
    };
    return { requests: await gateway.requests.list(tenant, wanted) };
  },

  events: (context) => liveStream(context),
} satisfies Partial<Handlers>;

/** Requests that are listed at once. */
const MAX_REQUESTS = 2_000;

/** A field that was given. */
const only = <K extends string>(name: K, value: string | undefined): { [N in K]?: string } =>
  value === undefined || value === "" ? {} : ({ [name]: value } as { [N in K]: string });

async function totalsOf(
  { gather, totals }: Pick<PageParts, "gather" | "totals">,
  tenant: string,
): Promise<TenantTotals> {
  const all = gather ? ((await gather("totals")) as ReturnType<typeof totals.all>[]) : [];
  const own = all.flatMap((one) => (Object.hasOwn(one, tenant) ? [one[tenant]!] : []));
  return own.length > 0 ? addTotals(own) : totals.read(tenant);
}

async function models(context: ApiContext): Promise<ModelsAnswer> {
  const { gateway, headers, client } = context;
  const problems: { upstream: string; message: string; fix: string }[] = [];
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
        problems.push({
          upstream: upstream.name,
          message: `Its models can't be listed: ${error instanceof Error ? error.message : String(error)}`,
          fix: "Check that it is running and that its key is right; a model can be named by hand all the same.",
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
    if (id !== undefined && window !== undefined) windows.tell(upstream, id, tenant, window);
  }
  if (listed.length > MOST_ASKED) return;
  const given = upstream === keyOwner(upstreams, MODELS_PATH, headers) ? headers : {};
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
