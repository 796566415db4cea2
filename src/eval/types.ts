/** What the measurements are made of: cases, contestants, measures, observations. */

interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message in the Chat Completions format, text only: what every contestant is given. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
}

export type Count = (text: string) => number;

/** What a contestant may use: `messages[from..to)`, and at most `budget` tokens by `count`. */
export interface ContestInput {
  readonly messages: readonly ChatMessage[];
  readonly from: number;
  readonly to: number;
  readonly budget: number;
  readonly count: Count;
}

/** Makes a view, as text. */
type Contest = (input: ContestInput) => string | Promise<string>;

/** A way of fitting a transcript into a budget, with the name it has in the tables. */
export interface Contestant {
  readonly id: string;
  readonly label: string;
  readonly view: Contest;
}

/** A name that the next calls need. */
export interface Anchor {
  readonly text: string;
  /** It doesn't occur in the newest quarter of the tokens before the cut. */
  readonly old: boolean;
  /** Content words that stood around its last occurrence before the cut. */
  readonly neighbours: readonly string[];
}

/** The messages of a session that are compacted: those in `from..to`. */
interface Stretch {
  /** The session: the unit of resampling. */
  readonly session: string;
  readonly messages: readonly ChatMessage[];
  readonly from: number;
  readonly to: number;
}

/** A moment in an agent's session: what came before it may be compacted, what came after it says what was needed. */
export interface AgentCase extends Stretch {
  readonly type: "agent";
  /** `cut`: an ordinary moment. `compaction`: the agent really compacted here. */
  readonly kind: "cut" | "compaction";
  readonly anchors: readonly Anchor[];
  /** Indexes of the messages in `from..to` that a person wrote. */
  readonly people: readonly number[];
  /** The summary that the agent's own compaction wrote. */
  readonly recorded?: string;
}

/** A question about a conversation, with the messages that answer it. */
export interface Probe {
  readonly question: string;
  readonly answer: string;
  readonly kind: string;
  readonly evidence: readonly number[];
}

/** A conversation with questions about it. */
export interface ProbeCase extends Stretch {
  readonly type: "probes";
  readonly probes: readonly Probe[];
}

/** A conversation whose answers cite numbered documents. */
export interface CitationCase extends Stretch {
  readonly type: "citations";
  /** Citation number → document id. */
  readonly documents: ReadonlyMap<number, string>;
  /** Numbers that the answers cite. */
  readonly cited: readonly number[];
}

/** One thing to compact and to score. */
export type EvalCase = AgentCase | ProbeCase | CitationCase;

/** How much of what was wanted is there. A mean over cases is Σ sum ÷ Σ weight. */
export interface Observation {
  readonly sum: number;
  readonly weight: number;
}

/** One question that is asked of every view. */
export interface RetentionMeasure<C extends EvalCase = EvalCase> {
  readonly id: string;
  readonly label: string;
  /** What it counts, in a few words. */
  readonly about: string;
  readonly better: "higher" | "lower";
  /** Undefined: the case has nothing to say about it. */
  observe(evalCase: C, view: ScoredView): Observation | undefined;
}

/** A view, prepared once for all measures. */
export interface ScoredView {
  readonly text: string;
  /** Content words with their places, built on first use. */
  readonly words: () => WordIndex;
}

/** Where each content word of a text stands, in characters from its start, ascending. */
export type WordIndex = ReadonlyMap<string, readonly number[]>;

/** How large a view may be: a share of what it is made from, or as large as the summary that was recorded there. */
export type BudgetSpec = { readonly type: "share"; readonly share: number } | { readonly type: "recorded" };

/** Cases of one kind from one source, and the budgets that make sense for them. */
export interface EvalSet {
  readonly id: string;
  readonly type: EvalCase["type"];
  readonly budgets: "shares" | "recorded";
  /** Sessions in it, before sampling. */
  readonly sessions: number;
  /** All cases, or those of every n-th session (of more than that in a small set). */
  cases(everyNth: number): Iterable<EvalCase>;
}

export function budgetLabel(budget: BudgetSpec): string {
  return budget.type === "recorded" ? "recorded" : `${Math.round(budget.share * 1000) / 10} %`;
}
