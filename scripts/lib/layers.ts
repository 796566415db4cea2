/** The layout as data: which folder may import what. The order is the order of the architecture, lowest first. */

/** Folders of `src`; each may import only itself and the folders before it. */
export const FOLDERS = [
  "core",
  "tokens",
  "apis",
  "reductions",
  "models",
  "summaries",
  "recall",
  "stores",
  "engine",
  "profiles",
  "stream",
  "eval",
  "integrations",
  "config",
  "gateway",
  "cli",
  "testing",
];

/** The folders inside of `src/gateway`, lowest first. Files beside them wire them together; not even types are imported in a circle there. */
export const GATEWAY_FOLDERS = [
  ...["api", "http", "wires", "telemetry", "upstream", "compaction", "conversation", "mcp", "requests"],
  ...["turn", "v1", "page", "ops"],
];

/** A file beside them that is a part of one. */
export const GATEWAY_FILES: Readonly<Record<string, string>> = { "api.ts": "api" };

/** Packages from npm that a folder may use. A folder that isn't named may use none. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: ["@noble/hashes"],
  stores: ["pg"],
  config: ["zod"],
  cli: ["eventsource-parser"],
  gateway: [
    "eventsource-parser",
    "@hono/node-server",
    "@modelcontextprotocol/sdk",
    "@opentelemetry/api",
    "hono",
    "pino",
    "prom-client",
    "undici",
    "zod",
  ],
  // Contract suites run inside the host's own test runner.
  testing: ["fast-check", "vitest"],
};

/** Paths below `src` that run in browsers and edge runtimes: nothing of Node may be reached from them. */
export const BROWSER_SAFE = [
  "index.ts",
  "core/",
  "tokens/",
  "apis/",
  "reductions/",
  "models/",
  "summaries/",
  "recall/",
  "stores/memory",
  "engine/",
  "profiles/",
  "integrations/",
];

/** What only Node has. */
export const NODE_GLOBALS = ["Buffer", "process", "require", "__dirname", "__filename"];

/** What makes a function depend on more than its arguments; `core` is pure. */
export const IMPURE_GLOBALS = [
  ...NODE_GLOBALS,
  ...[
    "fetch",
    "setTimeout",
    "setInterval",
    "performance",
    "console",
    "Date.now",
    "new Date()",
    "Math.random",
  ],
];

/**
 * Folders whose members each implement one interface: members never import each other, nor the files that wire them
 * together. What they have in common stands in `shared`. A member is a file, or a folder with the file of the same
 * name. Without `members`, all that is neither wiring nor shared is one.
 */
export const SIBLINGS: readonly {
  folder: string;
  members?: "folders" | readonly string[];
  shared: readonly string[];
}[] = [
  // Files beside the formats' folders wire them together.
  { folder: "src/apis", members: "folders", shared: ["shared"] },
  { folder: "src/reductions", shared: ["shared", "reduction"] },
  { folder: "src/models", shared: ["shared"] },
  { folder: "src/summaries/prompts", shared: ["shared"] },
  { folder: "src/stores", members: ["memory", "sqlite", "postgres"], shared: [] },
  { folder: "src/profiles", shared: ["shared"] },
  { folder: "src/integrations", shared: ["shared"] },
  { folder: "src/gateway/wires", members: "folders", shared: ["shared", "wire", "native", "hosting"] },
  // Commands, like stores, are few among the files that they share.
  {
    folder: "src/cli",
    members: [
      ...["compact", "replay", "write-text", "launch", "serve", "chat", "doctor", "inspect", "db", "stream"],
      ...["recall", "mcp", "import", "eval"],
    ],
    shared: [],
  },
];

/** Files that gather the members of their folder. */
export const WIRING = ["index", "main", "run-command-line", "open-store", "server"];

/** The only file of `src` that the web page may import. */
export const ROUTE_FILE = "src/gateway/api.ts";
