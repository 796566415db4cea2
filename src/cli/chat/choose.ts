import { defined } from "../../core/collections.ts";
import {
  type ApiClient,
  type ApiConversation,
  type NewConversation,
  routes,
  type Status,
} from "../../gateway/api.ts";
import { UsageError } from "../flags.ts";
import type { RunOf } from "../run.ts";

const LISTED = 50;
/** Conversations that are looked through for a part of an id: `inspect` and `recall` name older ones, too. */
const LOOKED_AT = 500;

export async function newest(api: ApiClient, limit = LISTED): Promise<readonly ApiConversation[]> {
  const { conversations } = await api.call(routes.conversations, { query: { limit } });
  return [...conversations].sort((a, b) => b.updatedAt - a.updatedAt);
}

/** The conversation that `--resume` means: by id, by the beginning or the end of one, by session, or the newest. */
async function resumed(api: ApiClient, wanted: string | undefined): Promise<ApiConversation> {
  if (wanted === undefined) {
    const [first] = await newest(api);
    if (first === undefined) throw new UsageError("there is no conversation to resume yet.");
    return first;
  }
  const listed = await newest(api, LOOKED_AT);
  const exact = await api
    .call(routes.conversation, { params: { id: wanted } })
    .catch(() => listed.find(({ session }) => session === wanted));
  if (exact !== undefined) return exact;
  const found = listed.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  if (found.length === 1) return found[0]!;
  throw new UsageError(
    found.length === 0
      ? `there is no conversation ${wanted}. precis chat --list shows them.`
      : `${wanted} is a part of ${found.length} ids. Write more of it.`,
  );
}

/** The model for a new chat: the one that is set, that was used last, or that the server names first. */
async function chooseModel(
  api: ApiClient,
  status: Status,
  wanted: string | undefined,
): Promise<string | undefined> {
  if (wanted !== undefined || !status.hasUpstream) return wanted;
  const { settings } = await api.call(routes.settings);
  if (settings.model !== undefined) return settings.model;
  const { models, problems } = await api.call(routes.models);
  const last = (await newest(api)).find(({ model }) => models.some(({ id }) => id === model))?.model;
  const chosen = last ?? (models.find(({ windowFrom }) => windowFrom !== "guess") ?? models[0])?.id;
  if (chosen !== undefined) return chosen;
  const why = problems.map(({ upstream, message }) => ` ${upstream}: ${message}`).join("");
  throw new UsageError(`name a model with --model.${why}`);
}

/** The conversation that is resumed, with what the flags change of it; or what a new one begins with. */
export async function beginning(
  api: ApiClient,
  status: Status,
  { args, options }: RunOf<"chat">,
): Promise<NewConversation & { readonly conversation?: ApiConversation }> {
  const { window, system } = options;
  const settings = window === undefined ? undefined : { window };
  const conversation = options.resume ? await resumed(api, args[0]) : undefined;
  const model =
    conversation?.model === undefined ? await chooseModel(api, status, options.model) : options.model;
  if (conversation !== undefined && (model !== undefined || settings !== undefined))
    await api.call(routes.changeConversation, {
      params: { id: conversation.id },
      body: { ...defined({ model }), settings: { ...settings, ...defined({ model }) } },
    });
  if (conversation !== undefined && system !== undefined)
    throw new UsageError("--system is for a new conversation.");
  return defined({ conversation, model, system, settings });
}
