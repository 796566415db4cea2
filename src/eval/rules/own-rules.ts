import type { EvalSet } from "../eval-set.ts";
import type { EvalCase } from "../types.ts";
import type { Rule, RulesConversation } from "./conversation.ts";

/**
 * Words by which a sentence of a user's is taken for a rule in recordings, where nobody says which ones are. They are wider and fewer
 * than those by which precis finds rules, so that what precis overlooks counts too; what isn't a rule counts for everybody alike.
 */
const SPACED =
  "always|never|don't|do not|must|mustn't|only|from now on|make sure|without asking|immer|nie|niemals|nicht|kein|keine|nur|ab jetzt|toujours|jamais|ne|désormais|siempre|nunca|solo|a partir de|não|nao|sempre|apenas|non|mai|soltanto|всегда|никогда|не|нельзя|только|دائما|أبدا|لا|يجب|فقط|항상|절대|마세요";
const DENSE =
  "总是|絕對|绝|不要|不得|必须|只能|从现在|每次|必ず|絶対|しないで|ないでください|だけ|今後|これから";
const MARK = new RegExp(`(?<![\\p{L}\\p{N}])(?:${SPACED})(?![\\p{L}\\p{N}])|${DENSE}`, "iu");

/** Shorter sentences say too little, longer ones were pasted or explain something (characters). */
const LEAST = 12;
const LONGEST = 240;
/** A longer message is a document, whoever sent it (characters). */
const LONGEST_MESSAGE = 6_000;
/** What programs put into a user's message, what is quoted there, and rows of tables. */
const NOT_TYPED = /<([a-z][\w-]*)[^>]*>[\s\S]*?<\/\1>|```[\s\S]*?(?:```|$)|^[>|].*$/gm;

/** The recorded conversations of some sets in which a user gave rules, each as far as it goes. */
export function* ownConversations(sets: readonly EvalSet[], everyNth: number): Iterable<RulesConversation> {
  for (const set of sets) {
    if (set.type === "citations") continue;
    const longest = new Map<string, EvalCase>();
    for (const one of set.cases(everyNth))
      if (one.to > (longest.get(one.session)?.to ?? 0)) longest.set(one.session, one);
    for (const [session, { messages, from, to, ...rest }] of longest) {
      const people = "people" in rest ? new Set(rest.people) : undefined;
      const said = messages.flatMap(({ role, content }, index) =>
        index >= from && index < to && (people?.has(index) ?? role === "user") ? [content] : [],
      );
      const rules = rulesIn(said);
      if (rules.length > 0)
        yield { id: `${set.id}: ${session}`, messages: messages.slice(from, to), rules, noise: "recorded" };
    }
  }
}

function rulesIn(texts: readonly string[]): Rule[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  const found = texts
    .filter((text) => text.length <= LONGEST_MESSAGE)
    .flatMap((text) => text.replace(NOT_TYPED, "\n").split("\n"))
    .flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment.trim()))
    .filter((text) => text.length >= LEAST && text.length <= LONGEST && MARK.test(text.replaceAll("’", "'")));
  return [...new Set(found)].map((text) => ({ text, way: "plain", language: "recorded", isMarked: true }));
}
