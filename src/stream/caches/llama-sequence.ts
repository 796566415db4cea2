/**
 * What precis needs of a `LlamaContextSequence` of node-llama-cpp, by shape: the package is an optional peer, and its
 * types must not be needed to compile.
 */
export interface LlamaSequence {
  readonly model: LlamaModelLike;
  readonly contextSize: number;
  /** Where the next token will stand: the length of what is in the cache. */
  readonly nextTokenIndex: number;
  readonly contextTokens: readonly number[];
  evaluateWithoutGeneratingNewTokens(tokens: number[]): Promise<void>;
  evaluateWithMetadata(
    tokens: number[],
    metadata: { readonly confidence: true; readonly probabilities: boolean },
    options: { readonly temperature: number; readonly yieldEogToken: true },
  ): AsyncGenerator<LlamaOutput, void, undefined>;
  eraseContextTokenRanges(ranges: { start: number; end: number }[]): Promise<void>;
  adaptStateToTokens(tokens: number[], allowShift: boolean): Promise<void>;
  clearHistory(): Promise<void>;
}

/** One generated token. */
export interface LlamaOutput {
  readonly token: number;
  readonly confidence: number;
  /** Chance of every token, when it was asked for. */
  readonly probabilities?: ReadonlyMap<number, number>;
}

/** The part of a `LlamaModel` that turns text into tokens and back. */
export interface LlamaModelLike {
  tokenize(text: string, specialTokens: boolean): readonly number[];
  detokenize(tokens: readonly number[], specialTokens: boolean): string;
  isEogToken(token: number | undefined): boolean;
  readonly tokens: { readonly bos: number | null; readonly shouldPrependBosToken: boolean };
}
