import { ANTHROPIC, OPENAI } from "../apis/shared/providers.ts";
import { type FoundEnvironment, readEnvironment } from "../config/environment.ts";
import { unknownVariables } from "../config/load-config.ts";
import { ConfigError } from "../core/errors.ts";
import { candidates, findLocalServers, type LocalServer } from "../gateway/upstream/local-servers.ts";
import { exactCounter } from "../tokens/exact-counter.ts";
import { formatCount } from "./format.ts";
import { type Io, isTooOld, type Look, OLDEST_NODE, wrap } from "./io.ts";
import type { RunOf } from "./run.ts";

/** What the doctor found. */
export interface Diagnosis {
  /** Everything that precis can't do without is there. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly servers: readonly LocalServer[];
  readonly keys: readonly {
    readonly provider: string;
    readonly variable: string;
    readonly problem?: string;
  }[];
  readonly missing: readonly { readonly name: string; readonly variable: string }[];
  readonly settings: readonly string[];
  /** What is wrong with names among the settings. */
  readonly unknown: readonly string[];
  readonly offers: readonly Offer[];
  readonly uses: readonly Use[];
}

export async function doctor(run: RunOf<"doctor">): Promise<void> {
  const diagnosis = await diagnose(run.io);
  run.print(diagnosis, () => doctorText(diagnosis, run.look));
  const bad = diagnosis.checks.find((check) => check.needed && !check.ok);
  if (bad !== undefined)
    throw new ConfigError({ option: bad.id, message: `${bad.found}.`, fix: bad.fix ?? "See above." });
}

async function diagnose(io: Io): Promise<Diagnosis> {
  const env = readEnvironment(io.env);
  // One after the other: loading the tokenizer holds everything up, and a server would seem not to answer.
  const servers = await findLocalServers(candidates(env.ollama), io.signal);
  const checks = await checkMachine(process.version);
  const offers = offersOf(env, servers);
  return {
    ok: checks.every((check) => check.ok || !check.needed),
    checks,
    servers,
    keys: env.providers.map(({ name, variable, problem }) => ({
      provider: name,
      variable,
      ...(problem === undefined ? {} : { problem }),
    })),
    missing: env.missing,
    settings: env.settings,
    unknown: unknownVariables(io.env, () => false),
    offers,
    uses: usesOf(env, servers, offers),
  };
}

/** One thing that precis needs, and whether this machine has it. */
interface Check {
  readonly id: "node" | "sqlite" | "tokenizer";
  readonly ok: boolean;
  /** Whether precis can't run at all if it is missing. */
  readonly needed: boolean;
  /** What was found, in a few words. */
  readonly found: string;
  /** What to do, if it isn't all right. */
  readonly fix?: string;
}

const SAMPLE = "Hello, world!";
const SAMPLE_TOKENS = 4;

const checkMachine = (version: string): Promise<Check[]> =>
  Promise.all([checkNode(version), checkSqlite(), checkTokenizer()]);

export function checkNode(version: string): Check {
  const isOld = isTooOld(version);
  return {
    id: "node",
    ok: !isOld,
    needed: true,
    found: `Node ${version.replace(/^v/, "")}`,
    ...(isOld && { fix: `Install Node ${OLDEST_NODE.join(".")} or newer.` }),
  };
}

/** The database that comes with Node; only `precis serve` keeps anything in it. */
export async function checkSqlite(
  load: () => Promise<typeof import("node:sqlite")> = () => import("node:sqlite"),
): Promise<Check> {
  const check = { id: "sqlite", needed: false } as const;
  try {
    const { DatabaseSync } = await load();
    const db = new DatabaseSync(":memory:");
    const row = db.prepare("SELECT sqlite_version() AS version").get();
    db.close();
    return { ...check, ok: true, found: `SQLite ${String(row?.["version"])}, part of Node` };
  } catch {
    const fix = "Use Node 22.13 or newer, or give precis serve a postgres:// address.";
    return { ...check, ok: false, found: "no SQLite in this Node", fix };
  }
}

/** Loads the vocabulary and counts something whose count is known. */
async function checkTokenizer(): Promise<Check> {
  const check = { id: "tokenizer", needed: true } as const;
  const start = performance.now();
  try {
    const tokens = (await exactCounter("o200k_base")).count(SAMPLE);
    if (tokens !== SAMPLE_TOKENS) throw new Error(`${tokens} tokens instead of ${SAMPLE_TOKENS}`);
    const ms = Math.round(performance.now() - start);
    return { ...check, ok: true, found: `tokenizer o200k_base, loaded in ${ms} ms` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const fix = "Install precis again: a file of the package is missing or damaged.";
    return { ...check, ok: false, found: `the tokenizer doesn't work (${why})`, fix };
  }
}

/** What a part of precis would use on this machine, and how to change it. */
interface Use {
  readonly part: string;
  readonly uses: string;
  readonly change: string | undefined;
}

/** A model that could write summaries, as it stands in code. */
interface Offer {
  readonly name: string;
  readonly code: string;
}

/** Models that could be used right now: servers on this machine first, because they cost nothing. */
function offersOf(env: FoundEnvironment, servers: readonly LocalServer[]): Offer[] {
  return [
    ...servers.flatMap((server): Offer[] => {
      const [model] = server.models;
      if (model === undefined) return [];
      const window = server.window === undefined ? "" : `, window: ${server.window}`;
      const code = `openaiCompatible({ baseURL: "${server.baseURL}", model: ${JSON.stringify(model)}${window} })`;
      return [{ name: server.name, code }];
    }),
    ...env.providers
      .filter((provider) => provider.problem === undefined)
      .map(({ name, factory, variable, baseURL, model }): Offer => {
        const isDefault = baseURL === (factory === "anthropic" ? ANTHROPIC : OPENAI).baseURL;
        const address = isDefault ? "" : `baseURL: "${baseURL}", `;
        return {
          name,
          code: `${factory}({ ${address}apiKey: process.env.${variable}, model: "${model ?? "…"}" })`,
        };
      }),
  ];
}

/** Says for each part of precis which model it would use on this machine, in plain words. */
function usesOf(env: FoundEnvironment, servers: readonly LocalServer[], offers: readonly Offer[]): Use[] {
  const serverKeys = env.providers.filter(({ name }) => name === "OpenAI" || name === "Anthropic");
  const names = serverKeys.map(({ name }) => name).join(" and ");
  const [server] = servers;
  const isSet = env.settings.includes("PRECIS_UPSTREAM");
  return [
    {
      part: "precis compact, precis replay",
      uses: "no model: summaries are the user's own words and exact lines of the conversation",
      change: undefined,
    },
    {
      part: "precis serve",
      uses: isSet
        ? "the address in PRECIS_UPSTREAM; summaries are written by the conversation's own model"
        : names !== ""
          ? `${names}; summaries are written by the conversation's own model`
          : "no upstream configured",
      change:
        server !== undefined && !isSet
          ? `For ${server.name}: precis serve --upstream ${server.baseURL}`
          : names === "" && !isSet
            ? "Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or give an address with --upstream."
            : "Give another address with --upstream.",
    },
    {
      part: "createCompactor in your code",
      uses: "no model, unless you pass one as `summarizer`",
      change:
        offers[0] === undefined
          ? "Start Ollama, or set a provider's key."
          : `For example: summarizer: ${offers[0].code}`,
    },
  ];
}

const MAX_WIDTH = 100;
const INDENT = "  ";
/** Models of a server that are named before the rest is counted. */
const NAMED_MODELS = 4;

/** The diagnosis as people read it. */
function doctorText(diagnosis: Diagnosis, { columns, paint }: Look): string {
  const width = Math.min(columns, MAX_WIDTH);
  const lines: string[] = [];
  const title = (text: string): void =>
    void lines.push(...(lines.length === 0 ? [] : [""]), paint("strong", text));
  const item = (mark: string, text: string): void => {
    const [first = "", ...rest] = wrap(text, width - 4);
    lines.push(`${INDENT}${mark} ${first}`, ...rest.map((line) => `${INDENT.repeat(2)}${line}`));
  };
  const good = paint("good", "✓");
  const bad = paint("bad", "✗");
  const none = paint("dim", "·");

  title("This machine");
  for (const check of diagnosis.checks)
    item(check.ok ? good : bad, check.fix === undefined ? check.found : `${check.found}. ${check.fix}`);

  title("Models on this machine");
  for (const server of diagnosis.servers) {
    const named = server.models.slice(0, NAMED_MODELS).join(", ");
    const more =
      server.models.length > NAMED_MODELS ? ` and ${server.models.length - NAMED_MODELS} more` : "";
    const window = server.window === undefined ? "" : `; window ${formatCount(server.window)} tokens`;
    item(
      good,
      `${server.name} at ${server.baseURL}: ${named === "" ? "running, but it has no model" : named + more}${window}`,
    );
  }
  if (diagnosis.servers.length === 0)
    item(none, "none: Ollama, LM Studio, llama.cpp and vLLM don't answer on their usual ports");

  title("Keys in the environment");
  for (const key of diagnosis.keys)
    item(
      key.problem === undefined ? good : bad,
      `${key.provider}: ${key.variable}${key.problem === undefined ? "" : ` ${key.problem}`}`,
    );
  if (diagnosis.keys.length === 0)
    item(none, `none of ${diagnosis.missing.map(({ variable }) => variable).join(", ")}`);
  if (diagnosis.settings.length > 0) item(none, `settings of precis: ${diagnosis.settings.join(", ")}`);
  for (const text of diagnosis.unknown) item(bad, text);

  title("What precis would use");
  for (const { part, uses, change } of diagnosis.uses) {
    item(none, `${paint("accent", part)}: ${uses}.`);
    if (change !== undefined)
      lines.push(...wrap(change, width - 4).map((line) => `${INDENT.repeat(2)}${line}`));
  }
  return `${lines.join("\n")}\n`;
}
