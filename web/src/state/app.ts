import {
  type ApiConversation,
  type GlobalSettings,
  type ModelsAnswer,
  type NewConversation,
  type NewUpstream,
  routes,
  type SettingsChange,
} from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { type Api, explain, type Trouble } from "./api-client.ts";
import type { AppState, Toast } from "./app-state.ts";
import type { Chat } from "./chat.ts";
import { createChat } from "./chat.ts";
import type { ClientKey } from "./client-key.ts";
import { createConversations } from "./conversations.ts";
import { browserStorage } from "./kept.ts";
import { letInformationGo } from "./let-information-go.ts";
import { type Live, openLive } from "./live.ts";
import { createFileOpener, type Example, readExample } from "./open-file.ts";
import { createOutbox } from "./outbox.ts";
import { type ChatTab, type Place, pathOf, type Router } from "./router.ts";
import { createStore, type Store } from "./store.ts";

export type App = ReturnType<typeof createApp>;

/** The whole page without a screen. */
export function createApp(options: { api: Api; router: Router; clientKey: ClientKey; live?: Live }) {
  const { api, router, clientKey, live = openLive(api, undefined, globalThis.window) } = options;
  const store = createStore<AppState>({
    status: undefined,
    models: undefined,
    settings: undefined,
    toast: undefined,
    recording: undefined,
    opening: undefined,
  });
  letInformationGo(store, "toast");
  // What only informs is about the page that it was told on.
  let page = pageOf(router);
  router.store.subscribe(() => {
    const before = page;
    page = pageOf(router);
    if (page !== before && store.get().toast?.kind === "info") store.set({ toast: undefined });
  });
  const notKept: Toast = { kind: "error", ...strings.errors.storageFull };
  let isFull = false;
  browserStorage.subscribe(() => {
    if (isFull === browserStorage.get().isFull) return;
    isFull = !isFull;
    if (isFull) store.set({ toast: notKept });
    else if (store.get().toast === notKept) store.set({ toast: undefined });
  });
  const conversations = createConversations(api);
  let current: Chat | undefined;

  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      // The settings ask for the key, and say more than this would.
      if (!clientKey.store.get().wanted) store.set({ toast: { kind: "error", ...explain(error) } });
      return undefined;
    }
  };
  /** Where the page was when the server wanted a key. */
  let refusedAt: Place | undefined;
  clientKey.store.subscribe(() => {
    const { wanted } = clientKey.store.get();
    const { place } = router.store.get();
    if (!wanted || place.page === "settings") return;
    refusedAt = place;
    router.go({ page: "settings" }, "replace");
  });
  const loadSettings = async () => store.set({ settings: await api.call(routes.settings) });
  const models = createServedModels({ api, store, attempt });
  const { chooseModel, insteadOf } = models;
  const open = (conversation: ApiConversation) => {
    conversations.put(conversation);
    router.go({ page: "chat", id: conversation.id, tab: "chat" });
  };
  /** The chat with this id; the same object for as long as it is the one that is looked at. */
  const chat = (id: string, tab: ChatTab = "chat"): Chat => {
    if (current?.id === id) return current;
    current?.close();
    current = createChat({
      api,
      id,
      chooseModel,
      async insteadOf(conversation) {
        const model = await insteadOf(conversation);
        if (model !== undefined)
          store.set({
            toast: { kind: "info", message: strings.chat.otherModel(conversation.model ?? "", model) },
          });
        return model;
      },
      isOffline: () => store.get().status?.hasUpstream === false,
      onConversation: conversations.put,
      onFork: open,
    });
    const opened = current;
    void attempt(async () => {
      await opened.load(tab === "timeline");
      const { conversation } = opened.store.get();
      if (conversation !== undefined && opened === current) await conversations.showWith(conversation);
    });
    return current;
  };

  /** An empty chat that nobody has used yet. */
  const unusedChat = async (): Promise<ApiConversation | undefined> => {
    const unused = conversations.store
      .get()
      .all.find(
        ({ messages, title, client, fork, archived, settings, busy }) =>
          messages === 0 &&
          title === "" &&
          client === undefined &&
          !archived &&
          fork === undefined &&
          busy === undefined &&
          Object.keys(settings).length === 0,
      );
    if (unused === undefined || hasUnsent(unused.id)) return undefined;
    const params = { id: unused.id };
    const { system, total } = await api.call(routes.messages, { params, query: { last: 1 } });
    return system === "" && total === 0 ? unused : undefined;
  };

  const openFile = createFileOpener({ api, store, router, conversations, open, chat, insteadOf });

  live.on((event) => {
    conversations.apply(event);
    current?.apply(event);
    if (event.type === "settings") void attempt(loadSettings);
  });

  const start = async () => {
    const asked = models.askAgain();
    await attempt(async () => {
      const [status] = await Promise.all([api.call(routes.status), conversations.load(), loadSettings()]);
      store.set({ status });
    });
    await asked;
  };

  return {
    api,
    router,
    live,
    store,
    conversations,
    attempt,
    chat,
    clientKey,
    start,
    /** Tries a client key; "" forgets the one there is. Where it is taken, the page goes on where it was refused. */
    async giveKey(key: string) {
      clientKey.give(key);
      await start();
      if (clientKey.store.get().wanted) return;
      live.tryAgain();
      current?.close();
      current = undefined;
      if (refusedAt) router.go(refusedAt, "replace");
      refusedAt = undefined;
    },
    /** Takes a key for an upstream, for as long as the tab is open; "" forgets it. */
    async giveUpstreamKey(upstream: string, key: string) {
      clientKey.giveFor(upstream, key);
      await models.askAgain();
    },
    newChat: (input: NewConversation = {}) =>
      attempt(async () => {
        const model = input.model ?? (await chooseModel());
        const unused = Object.keys(input).length === 0 ? await unusedChat() : undefined;
        if (unused !== undefined) {
          const isSame = model === undefined || unused.model === model;
          const body = { model: model ?? "" };
          open(
            isSame ? unused : await api.call(routes.changeConversation, { params: { id: unused.id }, body }),
          );
          return unused;
        }
        const conversation = await api.call(routes.createConversation, {
          body: { ...input, ...(model !== undefined && { model }) },
        });
        open(conversation);
        return conversation;
      }),
    /** A file that comes with the page, at the point that it is there for. */
    openExample: async (file: string, example?: Example) => {
      // Whoever clicks twice means one.
      if (store.get().opening !== file) await openFile(file, () => readExample(file), example);
    },
    /** Opens a conversation or a recorded stream. */
    importFile: (name: string, text: () => Promise<string>) => openFile(name, text),
    /** Resolves with what the server has against it. */
    changeSettings: async (changes: SettingsChange<GlobalSettings>): Promise<Trouble | undefined> => {
      try {
        store.set({ settings: await api.call(routes.changeSettings, { body: changes }) });
        return undefined;
      } catch (error) {
        return explain(error);
      }
    },
    /** Adds a server of models. Resolves with false if it wasn't added. */
    async addUpstream(upstream: NewUpstream) {
      const known = new Set(store.get().status?.upstreams.map(({ name }) => name));
      const status = await attempt(() => api.call(routes.addUpstream, { body: upstream }));
      if (status === undefined) return false;
      const added = status.upstreams.find(({ name }) => !known.has(name))?.name ?? upstream.baseURL;
      store.set({ toast: { kind: "info", message: status.warning ?? strings.models.added(added) }, status });
      await models.askAgain();
      return true;
    },
    async removeUpstream(name: string) {
      const known = store.get().status?.upstreams.find((one) => one.name === name);
      const status = await attempt(() => api.call(routes.removeUpstream, { params: { name } }));
      if (status === undefined) return;
      const message = strings.models.removed(name, known?.keys === "server");
      store.set({ toast: { kind: "info", message }, status });
      await models.askAgain();
    },
    tell: (toast: Toast | undefined) => store.set({ toast }),
  };
}

/** The page that is looked at, whatever place of it. */
const pageOf = ({ store }: Router): string => pathOf(store.get().place).split(/[?#]/)[0]!;

/** Does something that was typed in this chat still wait to be sent? */
function hasUnsent(chat: string): boolean {
  const outbox = createOutbox(chat);
  outbox.close();
  return outbox.first() !== undefined;
}

/** The models that the server's upstreams have, and which of them a chat takes. */
function createServedModels(parts: {
  readonly api: Api;
  readonly store: Store<AppState>;
  readonly attempt: <T>(work: () => Promise<T>) => Promise<T | undefined>;
}) {
  const { api, store, attempt } = parts;
  let asked: Promise<ModelsAnswer | undefined> | undefined;
  /** Asks the upstreams, which may take a while; once is enough. */
  const ask = () => {
    asked ??= attempt(async () => {
      const answer = await api.call(routes.models);
      store.set({ models: answer });
      return answer;
    });
    return asked;
  };
  const chooseModel = async () => store.get().settings?.settings.model ?? (await ask())?.models[0]?.id;
  return {
    /** The upstreams may have changed. */
    async askAgain(): Promise<void> {
      asked = undefined;
      await ask();
    },
    chooseModel,
    /** The model instead of one that a file names and no server has; undefined if it may be there. */
    async insteadOf({ model, client, settings }: ApiConversation): Promise<string | undefined> {
      const known = (model ?? "") === "" || client !== undefined ? undefined : await ask();
      if (known === undefined || known.models.length === 0 || known.problems.length > 0) return undefined;
      if (settings.model !== undefined || known.models.some(({ id }) => id === model)) return undefined;
      return chooseModel();
    },
  };
}
