import { type ApiConversation, type ModelsAnswer, routes } from "../../../src/gateway/api.ts";
import type { Api } from "./api-client.ts";
import type { AppState } from "./app-state.ts";
import type { Store } from "./store.ts";

/** The models that the server's upstreams have, and which of them a chat takes. */
export function createServedModels({
  api,
  store,
  attempt,
}: {
  readonly api: Api;
  readonly store: Store<AppState>;
  readonly attempt: <T>(work: () => Promise<T>) => Promise<T | undefined>;
}) {
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
    async insteadOf({ model, source, settings }: ApiConversation): Promise<string | undefined> {
      const known = (model ?? "") === "" || source !== "page" ? undefined : await ask();
      if (known === undefined || known.models.length === 0 || known.problems.length > 0) return undefined;
      if (settings.model !== undefined || known.models.some(({ id }) => id === model)) return undefined;
      return chooseModel();
    },
  };
}
