import { type ApiConversation, type Imported, routes } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import type { Api } from "./api-client.ts";
import type { AppState } from "./app-state.ts";
import type { Chat } from "./chat.ts";
import type { Conversations } from "./conversations.ts";
import { explainFile } from "./explain-file.ts";
import type { Router } from "./router.ts";
import type { Store } from "./store.ts";
import { isStreamFile } from "./stream-file.ts";

/** How an example is shown: its name, and the window in which it needs a summary. */
export interface Example {
  readonly title: string;
  readonly window: number;
}

/** Opens files: a conversation becomes a chat, a recorded stream is looked at. */
export function createFileOpener(parts: {
  readonly api: Api;
  readonly store: Store<AppState>;
  readonly router: Router;
  readonly conversations: Conversations;
  readonly open: (conversation: ApiConversation) => void;
  readonly chat: (id: string) => Chat;
  readonly insteadOf: (conversation: ApiConversation) => Promise<string | undefined>;
}): (name: string, readText: () => Promise<string>, example?: Example) => Promise<void> {
  const { api, store, router, conversations, open, chat, insteadOf } = parts;
  /** An example is compacted where it opens, so that its point is what one sees first. */
  const prepare = async (conversation: ApiConversation, { title, window }: Example) => {
    const params = { id: conversation.id };
    const model = await insteadOf(conversation);
    const changed = await api.call(routes.changeConversation, {
      params,
      body: { title, settings: { window }, ...(model !== undefined && { model }) },
    });
    // The same example may have been opened before and deleted, and its summary is found again.
    await api.call(routes.compact, { params, body: { whenDue: true } });
    return changed;
  };

  /** Says what a person can't see of a file that was just opened, and lets a model that is there answer in it. */
  const tellOfFile = async (first: ApiConversation, { conversations: found, warnings }: Imported) => {
    const model = await insteadOf(first);
    if (model !== undefined) {
      const body = { model };
      conversations.put(await api.call(routes.changeConversation, { params: { id: first.id }, body }));
    }
    const told = [
      ...(found.length > 1 ? [strings.home.several(found.length)] : []),
      ...(model === undefined ? [] : [strings.chat.otherModel(first.model ?? "", model)]),
      ...warnings,
    ];
    if (told.length > 0) store.set({ toast: { kind: "info", message: told.join(" ") } });
  };

  return async (name, readText, example) => {
    store.set({ opening: name, toast: undefined });
    try {
      const text = await readText();
      if (isStreamFile(text)) {
        store.set({ recording: { name, text }, opening: undefined });
        router.go({ page: "stream" });
        return;
      }
      const answer = await api.call(routes.importFile, {
        body: { name, text, ...(example !== undefined && { isExample: true }) },
      });
      for (const conversation of answer.conversations) conversations.put(conversation);
      const [first] = answer.conversations;
      if (first !== undefined) {
        open(example === undefined || answer.isKnown ? first : await prepare(first, example));
        const opened = chat(first.id);
        opened.store.set(example === undefined ? { wasOpened: true } : { atPoint: true });
        if (example === undefined) await tellOfFile(first, answer);
      }
    } catch (error) {
      store.set({ toast: { kind: "error", ...explainFile(name, error) } });
    }
    store.set({ opening: undefined });
  };
}

/** The text of a file that comes with the page. */
export async function readExample(file: string): Promise<string> {
  const response = await fetch(`/examples/${file}`);
  if (!response.ok) throw new Error(strings.errors.http(response.status));
  return response.text();
}
