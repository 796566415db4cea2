// @ts-check
/** The layout as data: which folder may import what. The order is the order of the architecture, lowest first. */

/** Folders of `src`; each may import only itself and the folders before it. */
export const FOLDERS = [
  "core",
  "tokens",
  "dialects",
  "reductions",
  "models",
  "summaries",
  "stores",
  "recall",
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

/** Packages from npm that a folder may use. A folder that isn't named may use none. */
/** @type {Readonly<Record<string, readonly string[]>>} */
export const PACKAGES = {
  tokens: ["gpt-tokenizer"],
  // Contract suites run inside the host's own test runner.
  testing: ["fast-check", "vitest"],
};

/** Paths below `src` that run in browsers and edge runtimes: nothing of Node may be reached from them. */
export const BROWSER_SAFE = [
  "index.ts",
  "core/",
  "tokens/",
  "dialects/",
  "reductions/",
  "summaries/",
  "stores/memory",
  "engine/",
  "profiles/",
];

/** What only Node has. */
export const NODE_GLOBALS = ["Buffer", "process", "require", "__dirname", "__filename"];

/** What makes a function depend on more than its arguments; `core` is pure. */
export const IMPURE_GLOBALS = [
  ...NODE_GLOBALS,
  "fetch",
  "setTimeout",
  "setInterval",
  "performance",
  "console",
  "Date.now",
  "new Date()",
  "Math.random",
];

/**
 * Folders whose children (files or folders) each implement one interface: siblings never import each other.
 * What they have in common stands in `shared/` or in a file named here.
 * @type {readonly { folder: string, wiring: readonly string[], shared: readonly string[] }[]}
 */
export const SIBLINGS = [
  { folder: "src/dialects", wiring: ["index.ts"], shared: ["shared"] },
  { folder: "src/reductions", wiring: ["index.ts"], shared: ["shared", "reduction.ts"] },
  { folder: "src/models", wiring: ["index.ts"], shared: ["shared"] },
  { folder: "src/summaries/prompts", wiring: ["index.ts"], shared: ["shared"] },
  { folder: "src/stores", wiring: ["index.ts"], shared: ["shared", "migrations"] },
  { folder: "src/profiles", wiring: ["index.ts"], shared: ["shared"] },
  { folder: "src/integrations", wiring: ["index.ts"], shared: ["shared"] },
  { folder: "src/cli/commands", wiring: ["index.ts"], shared: ["shared"] },
];

/** The only file of `src` that the web page may import. */
export const ROUTE_FILE = "src/gateway/api.ts";
