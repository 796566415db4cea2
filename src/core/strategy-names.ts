/** The names of the strategies. The type, the config, the command line, headers and the page take them from here. */
export const STRATEGY_NAMES = [
  "none",
  "truncate-oldest",
  "drop-middle",
  "drop-all",
  "summarize-oldest",
  "summarize-middle",
  "summarize-and-drop",
  "tool-summaries",
] as const;
