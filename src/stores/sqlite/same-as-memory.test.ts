import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { byProof } from "../../../test/support/proof.ts";
import { threadedStore } from "../../../test/support/threaded-store.ts";
import { StoreError } from "../../core/errors.ts";
import { memoryServerStore } from "../memory/server.ts";
import type { Append, ServerStore } from "../server-store.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-thread-same-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const AT = 1_700_000_000_000;

/** Something that clients do, told by how many of what there is, so that both stores do the same. */
type Step =
  | {
      readonly do: "begin";
      readonly session: number | undefined;
      readonly isNew: boolean;
      readonly words: number;
      readonly answer: boolean;
    }
  | {
      readonly do: "goOn";
      readonly which: number;
      readonly back: number;
      readonly words: number;
      readonly head: number;
      readonly answer: boolean;
    }
  | { readonly do: "again"; readonly which: number; readonly back: number; readonly answer: boolean }
  | { readonly do: "sayOtherwise"; readonly which: number; readonly back: number; readonly words: number }
  | { readonly do: "delete"; readonly which: number }
  | { readonly do: "look" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("begin" as const),
      session: fc.option(fc.nat(2), { nil: undefined }),
      isNew: fc.boolean(),
      words: fc.nat(3),
      answer: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("goOn" as const),
      which: fc.nat(20),
      back: fc.constantFrom(0, 0, 0, 0, 1, 2),
      words: fc.nat(3),
      head: fc.nat(2),
      answer: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("again" as const),
      which: fc.nat(20),
      back: fc.nat(3),
      answer: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("sayOtherwise" as const),
      which: fc.nat(20),
      back: fc.nat(2),
      words: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant({ do: "look" as const }) },
);

/** One conversation as its client knows it. */
interface Chat {
  id: string;
  /** Chain hashes. */
  readonly hashes: string[];
}

/** Carries the steps out and tells everything that could be seen. */
async function act(store: ServerStore, tenant: string, steps: readonly Step[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  const chats: Chat[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (id: string) => numbers.get(id) ?? numbers.set(id, numbers.size).size - 1;
  let word = 0;
  const said = (before: string | undefined, text: string) => ({
    hash: `${before ?? ""}/${text}`,
    role: text.endsWith("!") ? ("assistant" as const) : ("user" as const),
    wire: JSON.stringify(text),
    tokens: text.length,
    at: AT,
  });
  const append = async (input: Append): Promise<string | undefined> => {
    try {
      const { conversation, forkOf, added, length } = await store.conversations.append(tenant, input);
      seen.push({ of: numberOf(conversation), forkOf: forkOf && numberOf(forkOf), added, length });
      return conversation;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      seen.push("refused");
      return undefined;
    }
  };
  let answers = 0;
  /** With an id at the last one, as the gateway appends an answer. */
  const answered = <M extends object>(messages: readonly M[], isAnswer: boolean): M[] => {
    const id = isAnswer ? { answer: `r${answers++}` } : {};
    return messages.map((message, n) => (n === messages.length - 1 ? { ...message, ...id } : message));
  };
  const placeOf = async (answer: string) => {
    const found = await store.conversations.findAnswer(tenant, answer);
    return found && { of: numberOf(found.conversation.id), length: found.length };
  };
  const look = async () => {
    const { conversations } = await store.conversations.list(tenant, { limit: 500 });
    const all = await Promise.all(
      conversations.map(async ({ id, createdAt: _, updatedAt: __, fork, ...rest }) => ({
        ...rest,
        of: numberOf(id),
        fork: fork && { ...fork, of: numberOf(fork.of) },
        head: await store.conversations.head(tenant, id),
        messages: await store.conversations.read(tenant, id),
      })),
    );
    seen.push(all.sort((a, b) => a.of - b.of));
    seen.push(await Promise.all(Array.from({ length: answers }, (_, n) => placeOf(`r${n}`))));
  };
  let at = AT;
  for (const one of steps) {
    at++;
    const chat = "which" in one && chats.length > 0 ? chats[one.which % chats.length] : undefined;
    if (one.do === "look") await look();
    else if (one.do === "begin") {
      const texts = Array.from({ length: one.words }, (_, n) => (n === 0 ? `${n % 2}` : `${word++}!`));
      const hashes: string[] = [];
      const messages = texts.map((text) => {
        const message = said(hashes.at(-1), text);
        hashes.push(message.hash);
        return message;
      });
      const session = one.session === undefined ? {} : { session: `s${one.session}` };
      const id = await append({
        ...session,
        ...(one.isNew && { isNew: true as const }),
        messages: answered(messages, one.answer),
        at,
      });
      if (id !== undefined) chats.push({ id, hashes });
    } else if (!chat) continue;
    else if (one.do === "delete") {
      seen.push(await store.conversations.delete(tenant, chat.id));
    } else {
      const kept = chat.hashes.slice(0, Math.max(0, chat.hashes.length - one.back));
      const again = one.do === "again" ? chat.hashes.slice(kept.length) : [];
      const hashes = [...kept];
      const messages = [
        ...again.map((hash) => ({ ...said(undefined, hash.slice(hash.lastIndexOf("/") + 1)), hash })),
        ...Array.from({ length: one.do === "again" ? 0 : one.words }, () => {
          const message = said(hashes.at(-1), `${word++}${word % 2 ? "!" : ""}`);
          hashes.push(message.hash);
          return one.do === "sayOtherwise" ? { ...message, given: [`"given ${word}"`] } : message;
        }),
      ];
      const after = kept.at(-1);
      const id = await append({
        conversation: chat.id,
        ...(after !== undefined && { after }),
        messages: answered(messages, "answer" in one && one.answer),
        ...(one.do === "sayOtherwise" && { instead: chat.hashes.slice(kept.length), session: `s${word}` }),
        ...("head" in one && one.head > 0 && { head: `head ${one.head}` }),
        at,
      });
      if (id !== undefined && one.do !== "again") chats.push({ id, hashes });
    }
  }
  await look();
  return seen;
}

test("nobody can tell a store whose appends a thread writes from one in memory", async () => {
  // One for all runs, since a thread takes longer to start than a run; each has a tenant of its own.
  const store = await threadedStore(join(dir, "shared.db"));
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const tenant = `run ${++runs}`;
      const expected = await act(memoryServerStore(), tenant, steps);
      expect(await act(store, tenant, steps)).toEqual(expected);
    }),
    { numRuns: byProof({ sample: 15, more: 150, all: 1_000 }) },
  );
  await store.close();
});
