import cluster from "node:cluster";
import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { GatewayConfig, GatewayConfigInput } from "../config/gateway-schema.ts";
import { version } from "../config/version.ts";
import { defined } from "../core/defined.ts";
import { shownAddress } from "../gateway/upstream/upstream.ts";
import { databaseKind } from "../stores/database-kind.ts";
import { ENGINE_FLAGS } from "./engine-flags.ts";
import { aborted, type Io, untilAborted, warnOn } from "./io.ts";
import { SERVER_FLAGS, withDatabase, withoutPassword } from "./open-database.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parseCount, parsePort, parseTokens } from "./parse-tokens.ts";
import { isAboutKeys, KEY_FLAGS, keysCommand } from "./serve/client-keys.ts";

export const serveLine: CommandLine = {
  name: "serve",
  summary:
    "Serves any client of OpenAI, Anthropic, Google or Ollama: no conversation overflows, none is lost.",
  usage: "precis serve [flags]",
  flags: {
    port: { value: "N", help: "port (default: 8787)" },
    host: { value: "H", help: "address to listen at (default: 127.0.0.1; others need client keys)" },
    ...SERVER_FLAGS,
    profile: ENGINE_FLAGS.profile,
    "no-store": { help: "keep no transcripts; summaries live in memory" },
    "no-summary-model": { help: "ask no model for summaries: code writes them, and no key is spent on them" },
    observe: { help: "change nothing, only report what would have been done" },
    workers: { value: "N", help: "processes that share the work" },
    grace: {
      value: "TIME",
      help: "still serve that long after SIGTERM (5s), while /readyz says 503 to balancers (default: 0s)",
    },
    ...KEY_FLAGS,
    json: { help: "nothing on stdout but one line of JSON with the address" },
  },
  notes: [
    "Point a client at it by its base URL: http://127.0.0.1:8787/v1 for OpenAI's clients, http://127.0.0.1:8787 for Anthropic's. The page is at http://127.0.0.1:8787/.",
    "Without --upstream, OPENAI_API_KEY and ANTHROPIC_API_KEY in the environment are enough; without any of them the page and /api work all the same.",
  ],
  examples: [
    "precis serve --upstream http://localhost:11434/v1 --window 32k",
    "OPENAI_API_KEY=… precis serve",
    "precis serve --host 0.0.0.0 --db postgres://precis@db/precis --workers 4",
  ],
};

/**
 * V8 learns which objects live long and then makes their like old from the start. A server that waits for its upstream teaches it
 * wrong: whenever few requests were begun since the last collection, all of their objects are still in use. Once it has learnt
 * that, an old object of every request that is long answered holds the young ones that it names, texts included, until the
 * whole heap is looked through: three times the work for 2 KB, four times for streams, and it never unlearns.
 */
const KEEP_REQUESTS_YOUNG = "--no-allocation-site-pretenuring";

export async function serveCommand(flags: ParsedFlags, io: Io): Promise<void> {
  if (flags.files.length > 0)
    throw new UsageError(`precis serve takes no FILE, but ${flags.files[0]} was given.`);
  if (isAboutKeys(flags)) {
    const create = flags.value("new-key") !== undefined;
    await withDatabase(flags, io, { create }, (store) => keysCommand(store, flags, io));
    return;
  }
  // Only this command needs them, and they take a while to load.
  const [{ loadConfig }, { createGateway }, { serveWorkers }, { summarizerNotes }] = await Promise.all([
    import("../config/load-config.ts"),
    import("../gateway/create-gateway.ts"),
    import("../gateway/serve-workers.ts"),
    import("../gateway/compaction/summarizer.ts"),
  ]);
  setFlagsFromString(KEEP_REQUESTS_YOUNG);
  const file = flags.value("config");
  const loaded = await loadConfig({
    ...(file !== undefined && { file }),
    env: io.env,
    flags: flagsOf(flags),
    // Each worker reads the config again: the first process has said it for all of them.
    ...(cluster.isPrimary && { warn: warnOn(io) }),
  });
  const config = flags.has("no-summary-model") ? withoutModel(loaded) : loaded;
  const tell = (address: string, upstreams: readonly Named[] = config.upstreams) => {
    if (flags.has("json")) io.stdout.write(`${JSON.stringify({ address })}\n`);
    else io.stderr.write(banner(address, upstreams, storedIn(config), summarizerNotes(config)));
  };
  const hungUp = new AbortController();
  io.onHangUp?.(() => hungUp.abort());
  const signal = AbortSignal.any([io.signal, hungUp.signal]);
  if (config.workers > 1) {
    const ends = { signal, ...(io.interrupted && { interrupted: io.interrupted }) };
    await serveWorkers(config, version(), ends, (address) => tell(address));
    return;
  }
  // A store may not answer: who is told to end meanwhile has nothing to finish.
  const running = await untilAborted(createGateway(config, { version: version() }), signal);
  if (!running) return;
  const address = await running.listen();
  // Those that were added on the page, too: the config doesn't know them.
  tell(
    address,
    running.gateway.upstreams.map(({ config }) => config),
  );
  await aborted(signal);
  await running.leave(io.interrupted);
  await running.close();
}

function flagsOf(flags: ParsedFlags): GatewayConfigInput & { upstream?: string } {
  const grace = flags.value("grace");
  return {
    ...defined({
      port: flags.parsed("port", parsePort),
      window: flags.parsed("window", parseTokens),
      workers: flags.parsed("workers", parseCount),
      graceMs: grace === "0" ? 0 : grace,
      host: flags.value("host"),
      profile: flags.value("profile") as "agent" | undefined,
      db: flags.value("db"),
      upstream: flags.value("upstream"),
    }),
    ...(flags.has("no-store") && { store: false }),
    ...(flags.has("observe") && { observe: true }),
  };
}

/** An upstream, as far as it is told when the server starts. */
interface Named {
  readonly name: string;
  readonly baseURL: string;
}

/** No upstream of the config asks a model for summaries, either. */
function withoutModel(config: GatewayConfig): GatewayConfig {
  const upstreams = config.upstreams.map(({ summarizer: _, ...upstream }) => upstream);
  return { ...config, upstreams, summarizer: "extractive" };
}

function storedIn({ db, store }: Pick<GatewayConfig, "db" | "store">): string {
  if (!store) return "Conversations are not stored.";
  const kind = databaseKind(db);
  if (kind === "memory") return "Conversations are stored in memory, until this process ends.";
  return `Conversations are stored in ${kind === "postgres" ? withoutPassword(db) : resolve(db)}`;
}

function banner(
  address: string,
  upstreams: readonly Named[],
  stored: string,
  { line, problems }: { readonly line: string; readonly problems: readonly string[] },
): string {
  const where =
    upstreams.length === 0
      ? "No upstream yet: the page works, /v1 answers with how to set one up."
      : `Upstreams: ${upstreams.map(({ name, baseURL }) => `${name} (${shownAddress(baseURL)})`).join(", ")}`;
  return [
    `precis is listening at ${address}`,
    `  page       ${address}/`,
    `  OpenAI     base URL ${address}/v1`,
    `  Anthropic  base URL ${address}`,
    `  Google     base URL ${address}`,
    `  Ollama     host ${address}/ollama`,
    `  ${where}`,
    `  ${stored}`,
    `  ${line}`,
    ...problems.map((problem) => `  ${problem}`),
    "",
  ].join("\n");
}
