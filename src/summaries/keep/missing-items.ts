import { lastTrue } from "../../core/collections.ts";
import { newestPointer, withoutPointers } from "../records/pointers.ts";
import { findCitations } from "../sources/citations.ts";
import type { MustKeep } from "./must-keep.ts";

/** What kind of thing a summary should carry. */
export type ItemKind = "restriction" | "citation" | "path" | "id" | "number" | "name";

/** Kinds of single words; a restriction is a sentence. */
export type WordKind = Exclude<ItemKind, "restriction">;

/** Something in a text that loses its worth when it is paraphrased. */
export interface FoundItem<Kind extends ItemKind = ItemKind> {
  readonly kind: Kind;
  readonly text: string;
}

/** Longer ones are data, not names. */
const MAX_LENGTH = 120;
const EXTENSIONS =
  "[jt]sx?|[cm][jt]s|py|ipynb|rb|go|rs|java|kts?|swift|cs|cpp|cc|hpp|[ch]|php|lua|sql|sh|ps1|bat|html?|css|scss|vue|svelte|json[l5]?|ya?ml|toml|ini|cfg|conf|env|lock|xml|svg|md|mdx|rst|txt|csv|tsv|parquet|log|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|webp|mp[34]|wav|zip|gz|tar|db|sqlite|proto|tf|gradle|uasset|umap";
/** Units of measure, money and data. Counted things ("3 files") aren't worth a place. */
const UNITS =
  "%|‰|km\\/h|°[CF]?|[mµn]?s|sec(?:onds?)?|min(?:utes?)?|h|hours?|hrs?|days?|weeks?|months?|years?|[KMGTP]i?B|bytes?|bits?|[KMG]?bps|tokens?|px|fps|rpm|[kMG]?Hz|[cmk]?m|inch(?:es)?|ft|mi|mph|[mk]?g|lbs?|oz|[mc]?l|[mk]?[VWA]|kWh|mAh|dB|USD|EUR|GBP|JPY|CNY|INR|CHF|[Ee]uros?|[Dd]ollars?|million|billion|Stunden?|Tage?|Minuten?|Sekunden?|heures?|jours?|horas?|días?|minutos?|小时|分钟|秒|天|元|円|時間|分|日|万円|億|원|시간";

const URL = /\bhttps?:\/\/[^\s<>"'`()[\]{}\\]{3,}/g;
const WINDOWS_PATH = /\b[A-Za-z]:\\[^\s<>"'`|?*:]{2,}/g;
const PATH =
  /(?<![\w/@.:+<-])(?:(?:(?:~|\.{1,2})?\/)[\w.@+-]+(?:\/[\w.@+-]+)*|[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)+)/g;
const FILE = new RegExp(`(?<![\\w/@.\\\\-])\\w[\\w.-]*\\.(?:${EXTENSIONS})(?![\\w/-])`, "g");
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const MIXED =
  /(?<![\w./#-])(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Za-z])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?![\w/])/g;
const VERSION = /(?<![\w.])v?\d+(?:\.\d+){2,3}(?:-[a-z]+(?:\.\d+)?)?(?!\w|\.\d)/g;
const DATE = /\b\d{4}-\d{2}-\d{2}\b/g;
const MONEY = /[$€£¥₹]\s?\d[\d.,]*(?:\s?(?:k|K|M|bn|million|billion))?/g;
const MEASURE = new RegExp(`(?<![\\w.,#])\\d[\\d.,]*[\\s\\u00a0]?(?:${UNITS})(?![\\p{L}\\d_])`, "gu");
const IDENTIFIER =
  /(?<![\w./$-])(?:[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+[A-Z]\w*|[A-Za-z][A-Za-z0-9]*_\w+)(?![\w/])/g;
const PROPER =
  /(?<![\p{L}\d._/-])\p{Lu}[\p{L}\d'’-]{1,30}(?:[ \u00a0](?:(?:of|de|del|la|von|van|der|du|&)[ \u00a0])?(?:\p{Lu}[\p{L}\d'’.-]{0,30}|\d{1,5}\b)){1,5}/gu;
const QUOTED_NAME = /[「『《]([^」』》\n]{2,24})[」』》]/g;

/** Words that begin a sentence and no name. */
const OPENERS =
  /^(?:The|A|An|In|On|At|If|It|This|That|These|Those|We|You|I|My|Our|Your|He|She|They|And|But|So|For|With|When|While|As|Is|Are|Do|Does|Did|Can|Could|Please|Use|Now|Then|Also|Yes|No|Not|What|Which|Who|Why|How|To|From|By|Der|Die|Das|Ein|Eine|Im|Am|Le|La|Les|Un|Une|El|Los|Las|Il)[ \u00a0]+/;
/** Shouting, `Step 3`, and words before an id, which is found by itself. */
const NO_NAME = /^[\p{Lu}\s]+$|[ \u00a0]I$|^\S+[ \u00a0]\d$|-\d/u;
/** Never forced into a summary: the text that it stands in is the only place where a secret may be. */
const SECRET =
  /^(?:sk|pk|rk)[-_][\w-]{8,}|^gh[pousr]_|^github_pat_|^xox[abprs]-|^AKIA|^ASIA|^AIza|^eyJ[\w-]{8,}|^glpat-|^npm_\w{20,}/;
/** What is given out as a secret by the word before it. */
const NAMED_SECRET =
  /\b(?:pass(?:word|wort|phrase|code)?|pwd|secret|token|api[ _-]?key|bearer|authorization)\b["']?(?:\s*(?:is|ist|[:=])\s*|\s+(?=\S*\d))["']?\S+/gi;

/** The items of a line of prose, of call arguments or of tool output. `prose` also finds names in words and measures. */
export function findItems(text: string, prose: boolean): FoundItem<WordKind>[] {
  const found = new Map<string, FoundItem<WordKind>>();
  const add = (kind: WordKind, raw: string): void => {
    // Nothing that is so long is kept, and to trim it would take long.
    if (raw.length > 2 * MAX_LENGTH) return;
    const item = raw.replace(/[.,;:!?'’-]+$/, "").trim();
    if (item.length < 2 || item.length > MAX_LENGTH || SECRET.test(item) || found.has(item)) return;
    found.set(item, { kind, text: item });
  };
  let rest = text.replace(NAMED_SECRET, " ");
  /** What is found is taken out, so that a part of it isn't found again as something else. */
  const take = (kind: WordKind, pattern: RegExp, accept: (item: string) => boolean = () => true): void => {
    rest = rest.replace(pattern, (item: string) => {
      if (!accept(item)) return item;
      add(kind, item);
      return " ";
    });
  };
  if (rest.includes("://")) take("path", URL);
  if (rest.includes(":\\")) take("path", WINDOWS_PATH);
  if (rest.includes("/")) take("path", PATH, isPath);
  take("path", FILE, (item) => /[A-Za-z]{2}/.test(item));
  take("id", UUID);
  if (prose) {
    take("number", DATE);
    take("number", MONEY);
    take("number", MEASURE);
    for (const match of rest.matchAll(QUOTED_NAME)) add("name", match[1] ?? "");
    for (const match of rest.matchAll(PROPER)) {
      const name = match[0].replace(OPENERS, "");
      if (/[ \u00a0]/.test(name) && !NO_NAME.test(name)) add("name", name);
    }
  }
  take("number", VERSION);
  take("id", MIXED, isId);
  take("name", IDENTIFIER);
  return [...found.values()];
}

/** `and/or`, `1/2` and `km/h` aren't paths. */
function isPath(item: string): boolean {
  if (!/[A-Za-z]/.test(item) || item === "/dev/null") return false;
  const segments = item.split("/").filter((segment) => segment !== "");
  return /^[~./]/.test(item)
    ? segments.some((one) => one.length > 1)
    : segments.length > 2 || /\w\.\w|_/.test(item);
}

/** Letters and digits mixed as names of things are: `INV-2024-17`, `a1b2c3d`, `GPT-4`; not `utf8` or `2nd`. */
function isId(item: string): boolean {
  if (item.length < 4 || /^\d+(?:st|nd|rd|th|x|e\d+)$/i.test(item) || /^0[xo][\da-f]{0,6}$/i.test(item))
    return false;
  return /[-_]/.test(item) || /[A-Z]/.test(item) || /\d[a-z]|[a-z]\d+[a-z]/.test(item);
}

/**
 * The items that a text doesn't carry. Formatting doesn't count: case, quotes, emphasis, escapes, blanks in numbers, and
 * a path may be cut at its front as long as it still says which file is meant.
 */
export function missingItems<T extends FoundItem>(text: string, items: readonly T[]): T[] {
  if (items.length === 0) return [];
  const cited = new Set(findCitations(text).map(({ key }) => key));
  const plain = normalise(text);
  const tight = tighten(plain);
  const fileNames = new Map<string, number>();
  for (const item of items) {
    if (item.kind !== "path") continue;
    const name = lastSegments(normalise(item.text), 1);
    fileNames.set(name, (fileNames.get(name) ?? 0) + 1);
  }
  return items.filter((item) => {
    const wanted = normalise(item.text);
    switch (item.kind) {
      case "citation":
        return !findCitations(item.text).every(({ key }) => cited.has(key));
      case "restriction":
        return !loose(text).includes(loose(item.text));
      case "number":
        return !contains(tight, tighten(wanted));
      case "path": {
        if (contains(plain, wanted)) return false;
        const name = lastSegments(wanted, 1);
        const suffix = fileNames.get(name) === 1 ? name : lastSegments(wanted, 2);
        return suffix.length < 3 || !contains(plain, suffix);
      }
      default:
        return !contains(plain, wanted) && !namesNumber(plain, wanted);
    }
  });
}

/** `PR 12` and `issue 12` as people write them: `PR #12`, `PR (12)`, `pull request number 12`, `pull/12`. */
export function namesNumber(text: string, wanted: string): boolean {
  const [, noun, number] = /^(pr|issue) (\d+)$/i.exec(wanted) ?? [];
  if (noun === undefined) return false;
  const nouns = /^p/i.test(noun) ? "(?:pr|mr|(?:pull|merge)(?:[ _-]?request)?)" : "(?:issue|ticket|bug)";
  return new RegExp(
    `(?<![a-z0-9_])${nouns}s?[^\\p{L}\\p{N}]{0,3}(?:n\\p{L}{1,5}[^\\p{L}\\p{N}]{1,3})?${number}(?!\\d)`,
    "iu",
  ).test(text);
}

/** One case, one kind of blank, no quotes, emphasis or escapes. */
function normalise(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/&lt;/g, "<")
    .replace(/["'`´“”„‘’«»*\\]/g, (character) => (character === "\\" ? "/" : ""))
    .replace(/[‐-―−]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
}

/** Words alone: a sentence is kept word for word, whatever becomes of its commas. */
function loose(text: string): string {
  return normalise(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** `1 200.5 MB`, `1,200.5MB` and `1200.5 MB` are one number. */
function tighten(text: string): string {
  return text.replace(/(\d)[, ](?=\d{3}(?!\d))/g, "$1").replace(/(?<=\d) (?=[\p{L}%‰°])|(?<=[$€£¥₹]) /gu, "");
}

function lastSegments(path: string, segments: number): string {
  return path.split("/").filter(Boolean).slice(-segments).join("/");
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}_]/u;
/** Scripts without blanks between words: what stands beside a name there says nothing. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** `wanted` stands in the text as a word of its own: `ABC-12` isn't in `ABC-123`. */
function contains(text: string, wanted: string): boolean {
  if (wanted === "") return true;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!joins(text[at - 1], wanted[0]) && !joins(wanted.at(-1), text[at + wanted.length])) return true;
  }
  return false;
}

function joins(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return [left, right].every((character) => LETTER_OR_DIGIT.test(character) && !DENSE.test(character));
}

/** Stands before the items that a model left out even when asked again. */
const LEAD = "Also: ";
const SEPARATOR = " · ";
const RULES_HEADING = /^##\s+Rules\b/;

/**
 * The summary with what it lacks: one line of items, as many as fit its ceiling, first ones first, and restrictions, each a line of
 * its own, where rules stand. The text itself is left as it is. A restriction may exceed the ceiling.
 */
export function appendMissing(
  text: string,
  missing: readonly Pick<MustKeep, "kind" | "text" | "message">[],
  cap: number,
  count: (text: string) => number,
): string {
  const restrictions = missing.filter(({ kind }) => kind === "restriction");
  const items = missing
    .filter(({ kind }) => kind !== "restriction")
    .map((item) => oneLine(item.text))
    .filter((item) => item !== "");
  const withFirst = (number: number): string =>
    withRestrictions(
      number === 0 ? text : `${text}\n${LEAD}${items.slice(0, number).join(SEPARATOR)}`,
      restrictions,
    );
  const fits = (number: number): boolean => count(withoutPointers(withFirst(number))) <= cap;
  return withFirst(lastTrue(1, items.length, fits));
}

/** Each restriction where rules stand, behind those that are older: of two that differ, the later one holds. */
function withRestrictions(text: string, restrictions: readonly Pick<MustKeep, "text" | "message">[]): string {
  if (restrictions.length === 0) return text;
  const lines = text.split("\n");
  if (!lines.some((line) => RULES_HEADING.test(line))) lines.push("## Rules");
  const heading = lines.findIndex((line) => RULES_HEADING.test(line));
  for (const item of restrictions) {
    const end = lines.findIndex(
      (line, at) => at > heading && (/^#{1,6}\s/.test(line) || (newestPointer(line) ?? 0) > item.message + 1),
    );
    lines.splice(
      end < 0 ? lines.length : end,
      0,
      `- The user said: “${oneLine(item.text)}” #${item.message + 1}`,
    );
  }
  return lines.join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
