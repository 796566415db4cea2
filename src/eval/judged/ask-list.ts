import { ModelError } from "../../core/errors.ts";
import { contentHash } from "../../core/hash.ts";
import { parseJson } from "../../core/json.ts";
import type { Model, ModelMessage, ModelRequest } from "../../core/types.ts";
import type { Role, Spending } from "./spending.ts";

/** What a list of answers is asked for with. */
interface ListRequest<T> {
  readonly model: Model;
  readonly journal: Journal;
  readonly spending: Spending;
  readonly role: Role;
  readonly request: ModelRequest;
  /** Tells trials of the same request apart. */
  readonly trial: number;
  /** The values in a list, or what is wrong with it, in a sentence. */
  check(list: readonly unknown[]): readonly T[] | string;
}

/** One more try after an answer that can't be used. */
const TRIES = 2;

/** Asks for a JSON list. Only an answer that can be used is kept: another one would fail every later run again. */
export async function askList<T>(input: ListRequest<T>): Promise<readonly T[]> {
  const { model, journal, spending, role, request, trial, check } = input;
  const key = contentHash(
    JSON.stringify([role, model.id, trial, request.system, request.messages, request.cap]),
  );
  const kept = journal.find(key);
  if (kept !== undefined) {
    const values = check(listIn(kept) ?? []);
    if (typeof values !== "string") return values;
  }
  const messages: ModelMessage[] = [...request.messages];
  let problem = "";
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const asked = { ...request, messages };
    const reply = await model.complete(asked);
    spending.add(role, asked, reply);
    const list = listIn(reply.text);
    const values = list === undefined ? "it isn't a JSON list" : check(list);
    if (typeof values !== "string") {
      await journal.keep(key, reply.text);
      return values;
    }
    problem = values;
    messages.push(
      { role: "assistant", text: reply.text === "" ? "(nothing)" : reply.text },
      { role: "user", text: `This can't be used: ${problem}. Send the whole JSON list once more.` },
    );
  }
  throw new ModelError({
    model: model.id,
    failure: "bad-answer",
    message: `the ${role}'s answer can't be used: ${problem}.`,
    fix: `Use a stronger model as ${role}, or try again.`,
  });
}

/** The JSON list in an answer, which may have words or a fence around it. */
function listIn(text: string): readonly unknown[] | undefined {
  const start = text.indexOf("[");
  const end = text.lastIndexOf("]");
  if (start < 0 || end < start) return undefined;
  const value = parseJson(text.slice(start, end + 1));
  return Array.isArray(value) ? value : undefined;
}

/** Replies of earlier runs by the hash of what was asked: a run that was interrupted goes on where it stopped. */
export interface Journal {
  find(key: string): string | undefined;
  keep(key: string, text: string): Promise<void>;
}

/** A journal that ends with the process. */
export function memoryJournal(): Journal {
  const replies = new Map<string, string>();
  return {
    find: (key) => replies.get(key),
    async keep(key, text) {
      replies.set(key, text);
    },
  };
}
