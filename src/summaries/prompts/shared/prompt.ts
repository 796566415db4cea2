import type { Run } from "../../../core/types.ts";

/** What a prompt is rendered from. A prompt leaves out what it has no use for. */
export interface PromptInput {
  /** The messages to summarise, from `renderTranscript`. */
  readonly transcript?: string | undefined;
  /** How long the summary should be at most, in tokens. Below the ceiling that `acceptSummary` enforces. */
  readonly target: number;
  /** The messages that the summary speaks for, so that its lines can point at them. */
  readonly covers?: Run | undefined;
  /** What the summary should care about most, in the words of whoever asked for it. */
  readonly focus?: string | undefined;
  /** The language to write in, as its name. Left out: the conversation's own. */
  readonly language?: string | undefined;
  /** Items that must be found in the summary as they are written here. */
  readonly mustKeep?: readonly string[] | undefined;
  /** An earlier summary that this one takes in (rolling), or the draft that lacks items (repair). */
  readonly previous?: string | undefined;
  /** Summaries to merge, oldest first. */
  readonly summaries?: readonly { readonly text: string; readonly covers: Run }[] | undefined;
  /** Time since the beginning, as the host words it ("12 minutes"). */
  readonly elapsed?: string | undefined;
  /** How the first message begins that stays in the conversation, for a continuation. */
  readonly until?: string | undefined;
  /** Records of still earlier messages stand in the conversation and stay there, for a continuation. */
  readonly hasRecord?: boolean | undefined;
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
  /** The answer begins with an analysis that is cut away, and needs room for it. */
  readonly analysis: boolean;
  render(input: PromptInput): RenderedPrompt;
}

/** Tokens of an analysis, in units of the summary's target; and its bounds. */
const ANALYSIS_SHARE = 0.5;
const MIN_ANALYSIS = 300;
const MAX_ANALYSIS = 1_500;
/** Room for markers, and for a model that doesn't count well: what is too long is seen as that, not as cut off. */
const SLACK_SHARE = 0.25;
const SLACK_TOKENS = 64;

/** Tokens that the analysis before a summary of `target` tokens may take. */
export function analysisTokens(target: number): number {
  return Math.round(Math.min(MAX_ANALYSIS, Math.max(MIN_ANALYSIS, target * ANALYSIS_SHARE)));
}

/** The largest answer to ask for (`ModelRequest.cap`), so that a summary of `target` tokens isn't cut off. */
export function answerCap(prompt: Prompt, target: number): number {
  const analysis = prompt.analysis ? analysisTokens(target) : 0;
  return Math.ceil(target * (1 + SLACK_SHARE)) + analysis + SLACK_TOKENS;
}
