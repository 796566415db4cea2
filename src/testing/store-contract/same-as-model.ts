import fc from "fast-check";
import { expect, it } from "vitest";
import { StoreError } from "../../core/errors.ts";
import type { Append, ConversationChanges, ServerStore } from "../../stores/server-store.ts";
import { type Kept, ModelStore } from "./model-store.ts";
import { type ContractContext, checkpoint, DAY_MS, recalled, summary } from "./samples.ts";

const AT = 1_700_000_000_000;
const SESSIONS = [undefined, "s0", "s1"];
/** Few, so that several messages get the same. */
const ANSWERS = ["r0", "r1"];

/** Something that clients do. Chats and messages are named by how many there are, so that every store does the same. */
const step = fc.record({
  do: fc.constantFrom(
    ...(["begin", "begin", "go on", "go on", "go on", "branch", "branch", "rewrite", "rewrite"] as const),
    ...(["again", "switch", "switch", "change", "throw away", "delete"] as const),
    ...(["save", "save", "forget", "sweep", "look"] as const),
  ),
  chat: fc.nat(9),
  node: fc.nat(9),
  words: fc.integer({ min: 0, max: 3 }),
  session: fc.constantFrom(...SESSIONS),
  isNew: fc.boolean(),
  named: fc.boolean(),
  head: fc.constantFrom(undefined, "be brief", "be kind"),
  answer: fc.constantFrom(undefined, ...ANSWERS),
  isLong: fc.boolean(),
  isLate: fc.constantFrom(false, false, false, true),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What is asked of a store in memory and of one in a database alike. */
interface Asked {
  readonly conversations: Pick<
    ServerStore["conversations"],
    | ("append" | "find" | "behind" | "findSession" | "findAnswer" | "get" | "head" | "read" | "siblings")
    | ("list" | "update" | "delete")
  >;
  save(records: Kept): Promise<void>;
  records(hashes: readonly string[]): Promise<Kept>;
  forgetSummaries(tenant: string, hashes: readonly string[]): Promise<void>;
  /** A day later. */
  sweep(): Promise<void>;
  counts(): Promise<{ readonly conversations: number; readonly messages: number }>;
}

function modelStore(): Asked {
  const model = new ModelStore();
  const conversations = new Proxy(model, {
    get:
      (of, name) =>
      async (...given: unknown[]) =>
        structuredClone((of[name as "get"] as (...all: unknown[]) => unknown).apply(of, given)),
  });
  return {
    conversations: conversations as unknown as Asked["conversations"],
    save: async (records) => model.save(records),
    records: async (hashes) => model.records(hashes),
    forgetSummaries: async (_, hashes) => model.forgetSummaries(hashes),
    // It forgets nothing that is in use.
    sweep: async () => {},
    counts: async () => model.counts(),
  };
}

function askedOf(context: Pick<ContractContext, "now">, store: ServerStore, tenant: string): Asked {
  return {
    conversations: store.conversations,
    save: (records) => store.records(tenant).save(records),
    async records(hashes) {
      const { checkpoints, summaries, recalled = [] } = await store.records(tenant).find(hashes);
      return { checkpoints, summaries, recalled };
    },
    forgetSummaries: (of, hashes) => store.forgetSummaries(of, hashes),
    async sweep() {
      context.now += DAY_MS;
      await store.upkeep.sweep();
    },
    async counts() {
      const { conversations, messages } = (await store.upkeep.stats(tenant)).counts;
      return { conversations, messages };
    },
  };
}

/** A chat as its clients know it: chain hashes, each beginning with that of the message before. */
interface Chat {
  readonly id: string;
  readonly hashes: string[];
}

/** Ids differ from store to store: the first conversation that is made has number 0. */
type NumberOf = (id: string) => number;

/** Everything that anybody can see. */
async function look(
  { conversations, records, counts }: Asked,
  tenant: string,
  chats: readonly Chat[],
  numberOf: NumberOf,
) {
  const hashes = [...new Set(chats.flatMap((chat) => chat.hashes))].sort();
  const known = <T extends { readonly id: string; readonly session: string }>(
    conversation: T | undefined,
  ) => {
    if (!conversation) return undefined;
    const { id, session } = conversation;
    return { ...conversation, id: numberOf(id), session: session === id ? numberOf(id) : session };
  };
  const found = <T extends { readonly conversation: { readonly id: string; readonly session: string } }>(
    one: T | undefined,
  ) => one && { ...one, conversation: known(one.conversation) };
  const lineOf = (hash: string) => hash.split("/").map((_, n, parts) => parts.slice(0, n + 1).join("/"));
  const ids = [...new Set(chats.map(({ id }) => id))];
  return {
    counts: await counts(),
    list: (await conversations.list(tenant, { limit: 500 })).conversations.map(known),
    listOfSession: (await conversations.list(tenant, { session: "s0" })).conversations.map(known),
    chats: await Promise.all(
      ids.map(async (id) => ({
        conversation: known(await conversations.get(tenant, id)),
        head: await conversations.head(tenant, id),
        messages: await conversations.read(tenant, id),
        some: await conversations.read(tenant, id, { from: 1, to: 3 }),
        siblings: await conversations.siblings(tenant, id),
      })),
    ),
    paths: await Promise.all(
      chats.map(({ id, hashes }) => conversations.read(tenant, id, { leaf: hashes.at(-1) ?? "none" })),
    ),
    behind: await Promise.all(
      hashes.map(async (hash) => (await conversations.behind(tenant, hash)).map(found)),
    ),
    found: await Promise.all(
      hashes.map(async (hash) => found(await conversations.find(tenant, lineOf(hash)))),
    ),
    unnamed: await Promise.all(
      hashes.map(async (hash) =>
        found(await conversations.find(tenant, lineOf(hash), { prefer: "unnamed" })),
      ),
    ),
    ofSession: await Promise.all(
      hashes.map(async (hash) => found(await conversations.find(tenant, lineOf(hash), { session: "s0" }))),
    ),
    withHead: await Promise.all(
      hashes.map(async (hash) => found(await conversations.find(tenant, lineOf(hash), { head: "be kind" }))),
    ),
    unanswered: await Promise.all(
      hashes.flatMap((hash) =>
        ["be kind", null].map(async (head) =>
          found(await conversations.find(tenant, [hash], { head, isUnanswered: true })),
        ),
      ),
    ),
    sessions: await Promise.all(
      ["s0", "s1"].map(async (session) => known(await conversations.findSession(tenant, session))),
    ),
    answers: await Promise.all(ANSWERS.map(async (id) => found(await conversations.findAnswer(tenant, id)))),
    records: Object.values(await records(hashes)).map((list) =>
      list.map((one) => JSON.stringify(one)).sort(),
    ),
  };
}

/** Carries the steps out. Returns everything that could be seen, and how to look again. */
async function act(store: Asked, tenant: string, steps: readonly Step[]) {
  const seen: unknown[] = [];
  const chats: Chat[] = [];
  const numbers = new Map<string, number>();
  const numberOf: NumberOf = (id) => numbers.get(id) ?? numbers.set(id, numbers.size).size - 1;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      seen.push("refused");
      return undefined;
    }
  };
  let word = 0;
  let at = AT;
  const say = (
    before: string | undefined,
    text: string,
    { isLong, answer }: Pick<Step, "isLong" | "answer">,
  ) => ({
    hash: before === undefined ? text : `${before}/${text}`,
    role: text.length % 2 === 0 ? ("assistant" as const) : ("user" as const),
    wire: JSON.stringify(isLong ? text.repeat(5_000) : text),
    tokens: text.length,
    at,
    ...(answer !== undefined && { answer }),
  });
  /** Messages behind one another; some chats begin with the same. */
  const sayAll = (after: string | undefined, one: Step) => {
    const messages: ReturnType<typeof say>[] = [];
    for (let n = 0; n < one.words; n++) {
      const text = after === undefined && n === 0 ? `same${one.node % 2}` : `w${word++}`;
      const isLast = n === one.words - 1;
      const before = messages.at(-1)?.hash ?? after;
      messages.push(say(before, text, { isLong: one.isLong, answer: isLast ? one.answer : undefined }));
    }
    return messages;
  };
  const append = async (input: Append, line: readonly string[]) => {
    const appended = await attempt(() => store.conversations.append(tenant, input));
    if (!appended) return;
    const { conversation: id, ...rest } = appended;
    seen.push({ of: numberOf(id), ...rest });
    chats.push({ id, hashes: [...line, ...input.messages.map(({ hash }) => hash)] });
  };
  const change = (id: string, changes: ConversationChanges) =>
    attempt(async () => {
      const { id: changed, session, ...rest } = await store.conversations.update(tenant, id, changes);
      seen.push({ of: numberOf(changed), session: session === changed ? "its id" : session, ...rest });
    });
  for (const one of steps) {
    at++;
    const { session, isNew, named, head } = one;
    const said = {
      ...(session !== undefined && { session }),
      ...(named && { named: true as const }),
      ...(head !== undefined && { head }),
      at,
    };
    const chat = chats.length > 0 ? chats[one.chat % chats.length] : undefined;
    if (one.do === "begin")
      await append({ ...said, ...(isNew && { isNew: true as const }), messages: sayAll(undefined, one) }, []);
    else if (one.do === "sweep") await store.sweep();
    else if (one.do === "look") seen.push(await look(store, tenant, chats, numberOf));
    else if (!chat) continue;
    else {
      const { id, hashes } = chat;
      const place = hashes.length === 0 ? 0 : one.node % hashes.length;
      const line = one.do === "go on" ? hashes : hashes.slice(0, place);
      const after = line.at(-1);
      const behind = {
        ...said,
        at: one.isLate ? AT : at,
        conversation: id,
        ...(after !== undefined && { after }),
      };
      if (one.do === "go on" || one.do === "branch")
        await append({ ...behind, messages: sayAll(after, one) }, line);
      else if (one.do === "rewrite") {
        const messages = sayAll(after, one).map((message, n) =>
          n === 0 ? { ...message, rewritten: true as const, given: [`"given ${word}"`] } : message,
        );
        await append({ ...behind, messages }, line);
      } else if (one.do === "again") {
        const messages = hashes
          .slice(place)
          .map((hash) => ({ ...say(undefined, hash.slice(hash.lastIndexOf("/") + 1), one), hash }));
        await append({ ...behind, messages }, line);
      } else if (one.do === "switch") await change(id, { leaf: hashes[place] ?? "none" });
      else if (one.do === "change") await change(id, { title: `title ${at}`, pinned: named });
      else if (one.do === "throw away") await change(id, { deletedAt: isNew ? at : undefined });
      else if (one.do === "delete") seen.push(await store.conversations.delete(tenant, id));
      else {
        const [hash, name] = [hashes[place] ?? "none", `c${one.words}`];
        if (one.do === "forget") await store.forgetSummaries(tenant, [...hashes, "unknown"]);
        else
          await store.save({
            checkpoints: [checkpoint(name, hash)],
            summaries: one.isNew ? [summary(`s${one.words}`, hash, `at ${at}`)] : [],
            recalled: one.named ? [recalled(hash, name, at)] : [],
          });
      }
    }
  }
  const lookAgain = (again: Asked, as: string) => look(again, as, chats, numberOf);
  seen.push(await lookAgain(store, tenant));
  return { seen, lookAgain };
}

async function exportOf(store: ServerStore, tenant: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of store.upkeep.exportAll({ tenant })) lines.push(line);
  return lines;
}

/** Whatever clients do, the store holds and finds what plain arrays would. */
export function itIsTheSameAsPlainArrays(context: ContractContext, numRuns: number): void {
  it("nobody can tell it from plain arrays, nor from what was imported, and no other tenant sees anything", async () => {
    const copy = await context.open();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 18, size: "max" }), async (steps) => {
        const [tenant, other] = context.tenants();
        const { seen: expected, lookAgain: lookAtNothing } = await act(modelStore(), tenant, steps);
        const { seen, lookAgain } = await act(askedOf(context, context.store, tenant), tenant, steps);
        expect(seen).toEqual(expected);
        expect(await lookAgain(askedOf(context, context.store, other), other)).toEqual(
          await lookAtNothing(modelStore(), other),
        );
        const exported = await exportOf(context.store, tenant);
        await copy.upkeep.importAll(exported);
        expect(await lookAgain(askedOf(context, copy, tenant), tenant)).toEqual(expected.at(-1));
        // The first line says when it was made.
        expect((await exportOf(copy, tenant)).slice(1)).toEqual(exported.slice(1));
      }),
      { numRuns },
    );
    await copy.close();
  });
}
