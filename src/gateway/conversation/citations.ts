import { setImmediate as breathe } from "node:timers/promises";
import type { Message } from "../../core/types.ts";
import type { CitationSource, CitationStore } from "../../stores/server-store.ts";
import { abridged } from "../../summaries/material/abridge.ts";
import { citationRegistry, citationsIn } from "../../summaries/sources/citations.ts";
import { definedSources } from "../../summaries/sources/defined-sources.ts";
import type { ApiCitations } from "../api.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import type { Log } from "../telemetry/log.ts";

/** Keeps which number stands for which source, for whoever looks at a conversation later. */
export interface Citations {
  /** Answers from message `from` on may cite sources. Nobody waits for it. */
  note(tenant: string, conversation: string, messages: readonly Message[], from: number): void;
  /** All of it is stored. */
  settled(): Promise<void>;
}

/** Nobody looks up more, and a client that names new sources in every message must not fill the store with them. */
const MOST_SOURCES = 1_000;

export function createCitations(
  store: CitationStore,
  { redact, log }: { redact: boolean; log: Log },
): Citations {
  const underWay = new Set<Promise<void>>();
  const keep = async (tenant: string, conversation: string, messages: readonly Message[], from: number) => {
    const clean = (text: string): string => (redact ? redactSecrets(text) : text);
    const cited = new Map<string, CitationSource>();
    let looked = 0;
    for (let index = from; index < messages.length; index++) {
      looked += answerTexts(messages[index]!).reduce((sum, text) => sum + text.length, 0);
      if (looked > LOOKED_AT_ONCE) {
        await breathe();
        looked = 0;
      }
      if (!cites(messages[index]!)) continue;
      // The answer goes out first, and an imported conversation may have thousands.
      await breathe();
      for (const { source, title, ...rest } of citedSources(messages, index)) {
        const key = clean(source);
        cited.set(key, { ...rest, source: key, ...(title !== undefined && { title: clean(title) }) });
      }
    }
    if (cited.size === 0) return;
    try {
      const known = await store.list(tenant, conversation);
      const sources = new Set(known.map(({ source }) => source));
      const fresh = [...cited.values()].filter(({ source }) => !sources.has(source));
      const room = Math.max(0, MOST_SOURCES - known.length);
      if (fresh.length > 0 && room > 0) await store.register(tenant, conversation, fresh.slice(0, room));
    } catch (error) {
      // The transcript has them, too.
      log.warn({ err: error, conversation }, "the sources of a conversation could not be stored");
    }
  };
  return {
    note(tenant, conversation, messages, from) {
      if (!mayCite(messages, from)) return;
      const kept = keep(tenant, conversation, messages, from).finally(() => underWay.delete(kept));
      underWay.add(kept);
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}

/** Answers are looked at with a turn for others after so many characters. */
const LOOKED_AT_ONCE = 500_000;
/** Of a longer text of an answer its end is read, where sources are listed (characters). No model says so much. */
const MOST_READ = 1_000_000;

/** A look that costs next to nothing: most answers cite nothing. Answers that are too long for it may. */
function mayCite(messages: readonly Message[], from: number): boolean {
  let looked = 0;
  for (let index = from; index < messages.length; index++) {
    looked += answerTexts(messages[index]!).reduce((sum, text) => sum + text.length, 0);
    if (looked > LOOKED_AT_ONCE || cites(messages[index]!)) return true;
  }
  return false;
}

function cites(message: Message): boolean {
  return answerTexts(message).some((text) => BRACKETED.test(text));
}

/** What an answer says, as far as it is read for citations. */
function answerTexts({ role, parts }: Message): string[] {
  if (role !== "assistant") return [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text.slice(-MOST_READ)] : []));
}

const BRACKETED = /[[【]\^?\d/;

/** How far back the source of a citation is looked for (characters of text). */
const MOST_SEARCHED = 100_000;

/** The sources that an answer cites, with their numbers: a number means what was last called so before the answer. */
function citedSources(messages: readonly Message[], answer: number): CitationSource[] {
  const wanted = new Set(answerTexts(messages[answer]!).flatMap(citationsIn).map(plain));
  const found: CitationSource[] = [];
  let searched = 0;
  for (let index = answer; index >= 0 && wanted.size > 0 && searched < MOST_SEARCHED; index--) {
    for (const part of messages[index]!.parts) {
      if (part.type !== "text" && part.type !== "tool-result") continue;
      searched += part.text.length;
      // One huge text would hold up everybody else.
      if (part.text.length > MOST_SEARCHED) continue;
      for (const { number, key, label } of definedSources(part)) {
        if (!wanted.delete(plain(number))) continue;
        const title = label === key ? undefined : label.slice(key.length).trim();
        found.push({ source: key, number: Number(plain(number)), ...(title && { title }) });
      }
    }
  }
  return found.sort((a, b) => a.number! - b.number!);
}

/** A footnote is cited as `[^4]`, and often listed as `[4]`. */
const plain = (number: string): string => number.replace("^", "");

/** What the numbers of a conversation mean, as its views have them. Indexes don't count the `lead` system messages. */
export function citationsOf(messages: readonly Message[], lead: number): ApiCitations {
  // What a view is made from.
  const read = abridged(messages);
  const registry = citationRegistry(read);
  return {
    sources: registry.sources().map(({ number, key, label, index, passage }) => {
      const title = label.slice(key.length).trim();
      return { number, source: key, ...(title && { title }), message: index - lead, passage };
    }),
    cited: read.flatMap(({ parts }, index) =>
      parts
        .flatMap((part) => (part.type === "text" ? citationsIn(part.text) : []))
        .flatMap((as) => {
          const source = registry.resolve(index, as);
          return source && source.number !== as ? [{ message: index - lead, as, number: source.number }] : [];
        }),
    ),
  };
}
