import { plural } from "./plural.ts";

/** Adding servers of models. */
export const models = {
  title: "Models",
  lead: "Chats and summaries use the models of these servers.",
  none: "No model yet. Add one below; until then answers only quote.",
  added: (name: string) => `${name} is added.`,
  removed: (name: string, hadKey: boolean) => `${name} is removed${hadKey ? ", and its key with it" : ""}.`,
  remove: (name: string) => `Remove ${name}`,
  keys: { server: "with a key", client: "without a key", none: "without a key" },
  byConfig: "by the server's config",
  found: "Found on this machine",
  looking: "Looking for model servers on this machine…",
  nothingFound: "No model server answers on this machine (Ollama, LM Studio, llama.cpp, vLLM).",
  use: (name: string) => `Use ${name}`,
  count: (n: number) => plural(n, "model"),
  add: "Add a model server",
  address: "Address",
  addressHelp:
    "Where it speaks OpenAI's or Anthropic's API, such as https://api.openai.com/v1 or http://localhost:11434/v1.",
  noAddress: "This is no address. Give the whole of it, such as https://api.openai.com/v1.",
  noScheme: "This is no address. It begins with http:// or https://, such as http://localhost:11434/v1.",
  key: "Key",
  keyHelp: {
    file: "If it needs one. Kept in a file that only you can read, beside the database. It never comes back to this page.",
    memory: "If it needs one. Kept in memory until the server ends. It never comes back to this page.",
  },
  test: "Test",
  testing: "Testing…",
  works: (n: number) => `It works: ${plural(n, "model")}.`,
  go: "Add",
  notHere: "This server is shared: models are added in its config, under upstreams.",
  open: "Add a model",
};
