/** The label of the assistant that is none. */
export const OFFLINE_NAME = "offline assistant";

/** Said when a chat begins without a model. */
export const OFFLINE_NOTE =
  "No model is configured. The offline assistant is not a language model: it answers only by quoting what this conversation already holds.";
export const OFFLINE_HOW =
  "To chat with a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start with --upstream and a local server. precis doctor tells what this machine has.";
