import type { Run } from "../../../core/types.ts";
import type { RecordKind } from "./sections.ts";

/** What a prompt is rendered from. A prompt leaves out what it has no use for. */
export interface PromptInput {
  /** The messages to summarise, from `renderRun`. */
  readonly transcript?: string | undefined;
  /** How long the summary should be at most, in tokens. Below the ceiling that `acceptSummary` enforces. */
  readonly target: number;
  /** Says tokens in words or characters of this conversation, from `lengthInWords`: models don't count tokens. */
  readonly inWords?: ((tokens: number) => string) | undefined;
  /** The messages that the summary speaks for, so that its lines can point at them. */
  readonly covers?: Run | undefined;
  /** What the summary should care about most, in the words of whoever asked for it. */
  readonly focus?: string | undefined;
  /** The conversation's own language, where code can tell, as its name. */
  readonly spoken?: string | undefined;
  /** The language to write in, as its name. Left out: the conversation's own. */
  readonly language?: string | undefined;
  /** What is done and open by what commands and tools showed, a line each. */
  readonly states?: readonly string[] | undefined;
  /** Items that must be found in the summary as they are written here. */
  readonly mustKeep?: readonly ListedItem[] | undefined;
  /** An earlier summary that this one takes in (rolling), or the draft that is to be mended (repair, shorten). */
  readonly previous?: string | undefined;
  /** What was noted of earlier messages, in place of their summary. */
  readonly notes?: string | undefined;
  /** Tokens of notes to write before the record; left out: none are asked for. */
  readonly notesTarget?: number | undefined;
  /** No answer may be longer than its cap: it has no room for an analysis. */
  readonly isCapped?: boolean | undefined;
  /** What records of still earlier messages say. They stay: the summary goes on from there. */
  readonly earlier?: string | undefined;
  /** How long the draft turned out (shorten), in tokens. */
  readonly written?: number | undefined;
  /** The lines that the missing items stand in (repair). */
  readonly excerpts?: string | undefined;
  /** Summaries to merge, oldest first. */
  readonly summaries?: readonly { readonly text: string; readonly covers: Run }[] | undefined;
  /** What kind of conversation it is, for prompts that serve several. Left out: work. */
  readonly kind?: RecordKind | undefined;
  /** What a record should hold instead of the sections of its kind: the `task` of the chosen prompt, for the steps that go on from it. */
  readonly task?: string | undefined;
  /** Time since the beginning, as the host words it ("12 minutes"). */
  readonly elapsed?: string | undefined;
  /** How the first message begins that stays in the conversation, for a continuation. */
  readonly until?: string | undefined;
  /** Records of still earlier messages stand in the conversation and stay there, for a continuation. */
  readonly hasRecord?: boolean | undefined;
}

export interface ListedItem {
  readonly text: string;
  /** The message that it stands in, where it could mean several things. */
  readonly message?: number | undefined;
}

/** A prompt in words. */
export interface RenderedPrompt {
  /** Left out by a continuation, whose system prompt is the conversation's own. */
  readonly system?: string;
  readonly user: string;
}

/** One way to ask for a summary. Id and version are part of a summary's key: a changed text is a new version. */
export interface Prompt {
  readonly id: string;
  readonly version: string;
  /** A long answer begins with an analysis that is cut away, and needs room for it. */
  readonly analysis: boolean;
  /** The kind of conversation whose sections it asks for. */
  readonly kind?: RecordKind;
  /** What it asks for in words of its own, where it has no sections. */
  readonly task?: string;
  /** The host wrote it. */
  readonly isHosts?: boolean;
  render(input: PromptInput): RenderedPrompt;
}

/** A shorter record needs no notes: they would take longer than what they are for (tokens). */
const LEAST_WITH_ANALYSIS = 800;
/** Tokens of an analysis, in units of the summary's target; and its bound. */
const ANALYSIS_SHARE = 0.5;
const MAX_ANALYSIS = 1_500;
/**
 * Room beyond the target: for pointers and markers, and for a model that doesn't count well. What is too long can be
 * shortened; what was cut off is lost.
 */
const SLACK_SHARE = 0.5;
const ANALYSIS_SLACK = 0.2;
const SLACK_TOKENS = 100;

/** Tokens that notes before a summary of `target` tokens may take; 0 where there are none. */
export function analysisTokens(prompt: Pick<Prompt, "analysis">, target: number): number {
  if (!prompt.analysis || target < LEAST_WITH_ANALYSIS) return 0;
  return Math.round(Math.min(MAX_ANALYSIS, target * ANALYSIS_SHARE));
}

/**
 * The largest answer to ask for (`ModelRequest.cap`), so that a summary of `target` tokens, with so many of
 * notes before it, isn't cut off.
 */
export function answerCap(prompt: Prompt, target: number, notes = 0): number {
  const analysis = notes > 0 ? 0 : analysisTokens(prompt, target) * (1 + ANALYSIS_SLACK);
  return Math.ceil((target + notes) * (1 + SLACK_SHARE) + analysis) + SLACK_TOKENS;
}
