import { isJson, type Json, listOf, parseJson, textOf } from "../../apis/shared/fields.ts";
import type { HostedTool, ToolHosting } from "../../apis/shared/hosting.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { Dialect } from "../../core/types.ts";
import type { CompactorChoice, Compactors } from "../compaction/compactors.ts";
import { createPace, measureOf } from "../compaction/measure.ts";
import type { Windows } from "../compaction/windows.ts";
import type { GoesOnFrom } from "../conversation/named-by-client.ts";
import type { RunningRequest } from "../requests/running-request.ts";
import { hostedName } from "../wires/gateway-tools.ts";
import type { Wire } from "../wires/index.ts";

/**
 * Declarations on demand. The functions that a conversation hasn't used are left out of its requests; one tool of precis's own
 * lists them and loads those that the model asks for. Nothing is remembered for that: what was loaded, and what was called, is read
 * from the transcript, where the hidden rounds stand that the store keeps with its messages. So it is the same on every server,
 * and it changes only when something is loaded, at the end of the tools.
 */

const LOADER = hostedName("defer");
/** Loading costs a round, and the prompt is written to the provider's cache anew: less than this isn't worth it (tokens). */
const LEAST_SPARED = 4_000;
/** What the list says of one tool (characters). */
const MOST_SAID = 100;
/** Names that are proposed in place of one that isn't there. */
const MOST_SIMILAR = 5;
/** What is loaded may take this share of the window: beside more, hardly a message would fit. */
const MOST_LOADED = 0.75;
/** Names of which it is said that nothing is called so. */
const MOST_UNKNOWN = 20;

/** Why a request keeps all of its declarations. */
export type KeptWhy = "bound-thinking" | "auto-off" | "few-tools" | "named-tool" | "own-search" | "not-whole";

/** The tools of a request, sorted. */
interface Plan {
  /** Tools that are always declared. */
  readonly kept: readonly unknown[];
  readonly functions: ReadonlyMap<string, { readonly tool: unknown; readonly tokens: number }>;
  /** Under which names those are declared that are called by others. */
  readonly holders: ReadonlyMap<string, readonly string[]>;
  readonly loader: HostedTool;
  /** What the loader itself takes. */
  readonly tokens: number;
}

interface AskingTools {
  readonly wire: Wire;
  readonly body: Json;
  readonly choice: CompactorChoice;
  readonly goesOnFrom?: GoesOnFrom | undefined;
}

/** The functions of a request that stay away until its model asks for them; a text says why all of them stay. */
export async function deferralOf(
  parts: { readonly compactors: Pick<Compactors, "isAuto">; readonly windows: Windows },
  { wire, body, choice, goesOnFrom }: AskingTools,
): Promise<Deferral | KeptWhy> {
  const hosting = wire.hosting!;
  if (!parts.compactors.isAuto(choice)) return "auto-off";
  if (hosting.choice(body) !== "free") return "named-tool";
  // Signatures of thoughts hold for the declarations that stood before them: none of these may change in a conversation.
  const { boundReasoning } = { ...wire.dialect.rules, ...wire.dialect.reasoningOf?.(choice.model) };
  if (boundReasoning) return "bound-thinking";
  const tools = hosting.tools(body);
  if (tools.some(isSearched)) return "own-search";
  // What was called before must be known.
  if (goesOnFrom?.isRebuilt === false || wire.isPartial?.(body)) return "not-whole";
  const plan = await planOf(hosting, tools, await measureOf(parts, choice));
  const { window: known, from } = parts.windows.of(choice.upstream, choice.model, choice.tenant);
  // By a guess nothing is refused.
  const window = choice.window ?? (from === "guess" ? Infinity : known);
  return plan ? new Deferral(hosting, plan, tools, window) : "few-tools";
}

/** The client leaves declarations away itself, or has its provider do so. */
const isSearched = (tool: unknown): boolean =>
  isJson(tool) && (tool["defer_loading"] === true || /^tool_search/.test(textOf(tool["type"]) ?? ""));

/** Undefined where it isn't worth it. The counter remembers the texts of tools: clients send the same ones with each request. */
async function planOf(
  hosting: ToolHosting,
  tools: readonly unknown[],
  measure: Awaited<ReturnType<typeof measureOf>>,
): Promise<Plan | undefined> {
  const pace = createPace();
  const kept: unknown[] = [];
  const functions = new Map<string, { readonly tool: unknown; readonly tokens: number }>();
  const holders = new Map<string, string[]>();
  const lines: string[] = [];
  for (const tool of tools) {
    const plain = hosting.plainFunction(tool);
    // The list has a line for each.
    if (!plain || [plain.name, ...(plain.members ?? [])].some((name) => LINE_BREAK.test(name)))
      kept.push(tool);
    else {
      const { name, description, members = [] } = plain;
      await measure.counter.countFor(tool as object, stringifyDeep([tool]), pace.pause);
      functions.set(name, { tool, tokens: measure.tools([tool]) });
      for (const member of members) holders.set(member, [...(holders.get(member) ?? []), name]);
      const said = firstSentence(description);
      const holds = members.length > 0 ? ` (${members.join(", ")})` : "";
      lines.push(`- ${name}${holds}${said === "" ? "" : `: ${said}`}`);
    }
  }
  const loader = loaderFor(lines);
  const tokens = measure.tools([hosting.declare(loader)]);
  const isWorthIt = sumOf(functions.values()) - tokens >= LEAST_SPARED;
  // Of two with one name nobody could say which is meant.
  return isWorthIt && functions.size + kept.length === tools.length
    ? { kept, functions, holders, loader, tokens }
    : undefined;
}

/** The list stands with the parameter: OpenAI takes a description of a function up to 1,024 characters. */
const loaderFor = (lines: readonly string[]): HostedTool => ({
  name: LOADER,
  description:
    "Declares tools that you have but whose parameters you weren't shown yet. Before you call a tool of the list below, load it, together with all others that the task may need: what is loaded stays, and each further call takes time.",
  parameters: {
    type: "object",
    properties: {
      names: {
        type: "array",
        items: { type: "string" },
        description: `Names of this list:\n${lines.join("\n")}`,
      },
    },
    required: ["names"],
    additionalProperties: false,
  },
});

const LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u;

function firstSentence(description: string): string {
  const text = firstCharacters(description, 4 * MOST_SAID)
    .replace(/\s+/g, " ")
    .trim();
  const sentence = /^.*?[.!?。](?= |$)/u.exec(text)?.[0] ?? text;
  return sentence.length <= MOST_SAID ? sentence : `${firstCharacters(sentence, MOST_SAID - 1).trimEnd()}…`;
}

const sumOf = (all: Iterable<{ readonly tokens: number }>): number => {
  let sum = 0;
  for (const { tokens } of all) sum += tokens;
  return sum;
};

/** The functions of one turn's requests. */
export class Deferral {
  /** The client's own tools, all of them. */
  readonly declaredByClient: readonly unknown[];
  readonly #hosting: ToolHosting;
  readonly #plan: Plan;
  readonly #loaded = new Set<string>();
  #loadedTokens = 0;
  /** The words of each name that can be asked for, once one was asked for that isn't there. */
  #words: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** Tools of precis's own beside the loader. */
  #own: readonly HostedTool[] = [];

  readonly #window: number;

  constructor(hosting: ToolHosting, plan: Plan, tools: readonly unknown[], window: number) {
    this.#window = window;
    this.#hosting = hosting;
    this.#plan = plan;
    this.declaredByClient = tools;
  }

  /** Loads what was called or asked for in these messages. */
  see(dialect: Dialect<unknown>, messages: readonly unknown[]): void {
    for (const message of messages)
      for (const part of dialect.read(message).parts)
        if (part.type === "tool-call")
          this.#add(part.name === LOADER ? (namesIn(part.args) ?? []) : [part.name]);
  }

  #add(names: readonly string[]): void {
    for (const name of names.flatMap((one) => this.#find(one))) {
      const { tokens } = this.#plan.functions.get(name)!;
      if (this.#loaded.has(name) || this.#loadedTokens + tokens > this.#window * MOST_LOADED) continue;
      this.#loaded.add(name);
      this.#loadedTokens += tokens;
    }
  }

  /** What must be declared for a name to be called. */
  #find(name: string): readonly string[] {
    const { functions, holders } = this.#plan;
    return [...(functions.has(name) ? [name] : []), ...(holders.get(name) ?? [])];
  }

  /** Answers a call of the loader. */
  load(args: string): string {
    const names = namesIn(args);
    if (!names) return 'Call it with names of its list: {"names": ["…"]}.';
    const declared = new Set(this.#plan.kept.map(this.#hosting.nameOf));
    const found = [...new Set(names.flatMap((name) => this.#find(name)))];
    const before = [
      ...names.filter((name) => declared.has(name)),
      ...found.filter((name) => this.#loaded.has(name)),
    ];
    const asked = found.filter((name) => !this.#loaded.has(name));
    const unknown = names.filter((name) => this.#find(name).length === 0 && !declared.has(name));
    this.#add(asked);
    const fresh = asked.filter((name) => this.#loaded.has(name));
    const tooLarge = asked
      .filter((name) => !this.#loaded.has(name))
      .map((name) => `${name} (${this.#plan.functions.get(name)!.tokens} tokens)`);
    return [
      ...(fresh.length > 0 ? [`Loaded: ${fresh.join(", ")}. You can call what is loaded.`] : []),
      ...(before.length > 0 ? [`You had these already: ${before.join(", ")}.`] : []),
      ...(tooLarge.length > 0
        ? [`Too large for a window of ${this.#window} tokens: ${tooLarge.join(", ")}. Go on without.`]
        : []),
      ...unknown.slice(0, MOST_UNKNOWN).map((name) => this.#sorry(name)),
      ...(unknown.length > MOST_UNKNOWN
        ? [`Nor are there tools of ${unknown.length - MOST_UNKNOWN} other names.`]
        : []),
    ].join("\n");
  }

  #sorry(name: string): string {
    const words = wordsOf(name);
    const { functions, holders } = this.#plan;
    this.#words ??= new Map([...functions.keys(), ...holders.keys()].map((one) => [one, wordsOf(one)]));
    const similar = [...this.#words]
      .map(([one, own]) => ({ one, shared: words.intersection(own).size }))
      .filter(({ shared }) => shared > 0)
      .sort((a, b) => b.shared - a.shared)
      .slice(0, MOST_SIMILAR);
    const instead = similar.length > 0 ? ` Similar: ${similar.map(({ one }) => one).join(", ")}.` : "";
    const said = firstCharacters(name, MOST_SAID).replace(/\s+/g, " ");
    return `There is no tool ${JSON.stringify(said)}.${instead}`;
  }

  /** The request with what is declared by now. `own`: tools of precis's own, once. */
  declared(body: Json, own = this.#own): Json {
    const { kept, functions, loader } = this.#plan;
    this.#own = own;
    return this.#hosting.withTools(body, [
      ...kept,
      ...[...own, loader].map(this.#hosting.declare),
      ...[...this.#loaded].map((name) => functions.get(name)!.tool),
    ]);
  }

  get spared(): NonNullable<RunningRequest["deferred"]> {
    const { functions, tokens } = this.#plan;
    const away = [...functions].flatMap(([name, one]) => (this.#loaded.has(name) ? [] : one));
    return {
      tools: away.length,
      loaded: this.#loaded.size,
      tokens: Math.max(0, sumOf(away) - tokens),
    };
  }
}

/** What a call of the loader names; undefined where it names nothing. */
function namesIn(args: string): readonly string[] | undefined {
  const given = parseJson(args);
  const asked = isJson(given) ? (given["names"] ?? given["name"]) : given;
  const names = (typeof asked === "string" ? [asked] : listOf(asked)).flatMap(
    (name) => textOf(name)?.trim() || [],
  );
  return names.length > 0 ? [...new Set(names)] : undefined;
}

const wordsOf = (name: string): ReadonlySet<string> =>
  new Set(
    name
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[^\p{L}\d]+/u)
      .filter((word) => word.length > 1),
  );
