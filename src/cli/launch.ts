import type { GatewayConfig, GatewayConfigInput } from "../config/gateway-schema.ts";
import { defined } from "../core/defined.ts";
import { nearest } from "../core/nearest.ts";
import { routes, type Status } from "../gateway/api.ts";
import { shownAddress } from "../gateway/upstream/address.ts";
import { type Io, warnOn } from "./io.ts";
import { CLIENTS, type ClientSettings, type LaunchClient } from "./launch/clients.ts";
import { runClient } from "./launch/run-client.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parsePort, parseTokens } from "./parse-tokens.ts";
import { version } from "./version.ts";

const NAMES = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[];

const NEED_MODEL = NAMES.filter((name) => "needsModel" in CLIENTS[name]);

export const launchLine: CommandLine = {
  name: "launch",
  summary: "Starts a coding agent behind the gateway, with the right settings for this run only.",
  usage: "precis launch CLIENT [flags] -- ARGS",
  flags: {
    model: { value: "M", help: `the model that the client asks for (${NEED_MODEL.join(", ")} need it)` },
    upstream: { value: "URL", help: "where requests go, such as http://localhost:11434/v1" },
    window: {
      value: "N",
      help: "window of the upstream's models in tokens (32k), instead of the registry's",
    },
    port: { value: "N", help: "port of the gateway (8787 unless told)" },
    db: {
      value: "DB",
      help: "the gateway's database: a file (precis.db unless told), postgres://…, or memory",
    },
    config: { value: "FILE", help: "config file of precis serve (precis.config.json unless told)" },
    "dry-run": { help: "say what would be started and set, and start nothing" },
  },
  notes: [
    `CLIENT is one of ${NAMES.join(", ")}. What stands after -- goes to the client as it is.`,
    "A gateway that listens at the port already is used. Otherwise one is started, and stopped when the client ends. No file of the client is changed.",
  ],
  examples: [
    "precis launch claude",
    "precis launch claude --upstream http://localhost:11434/v1 --window 32k --model qwen3-coder",
    "precis launch codex -- exec 'Make the tests pass.'",
    "precis launch opencode --upstream http://localhost:11434/v1 --model qwen3-coder",
  ],
};

/** Starts what is needed, says what it set, and ends what it started. */
export async function launchCommand(flags: ParsedFlags, io: Io): Promise<number> {
  const [name, ...more] = flags.files;
  const client = clientOf(name);
  const model = flags.value("model");
  if (client.needsModel && model === undefined)
    throw new UsageError(`precis launch ${name} needs a model: --model NAME, as the upstream calls it.`);
  const gateway = await gatewayFor(name!, client, flags, io);
  try {
    const settings = client.settings({
      url: gateway.url,
      model,
      isAnthropic: gateway.upstreams.length > 0 && gateway.upstreams.every(isAnthropic),
      env: io.env,
    });
    const isDry = flags.has("dry-run");
    io.stderr.write(told(client, settings, gateway, new Set(Object.values(io.env)), isDry));
    return isDry ? 0 : await runClient(client, settings, more, io);
  } finally {
    await gateway.close();
  }
}

function clientOf(name: string | undefined): LaunchClient {
  if (name !== undefined && Object.hasOwn(CLIENTS, name)) return CLIENTS[name as keyof typeof CLIENTS];
  const close = name === undefined ? undefined : nearest(name, NAMES);
  throw new UsageError(
    name === undefined
      ? `precis launch needs the name of a client: ${NAMES.join(", ")}.`
      : `precis launch doesn't know ${name}. ${close ? `Did you mean ${close}? ` : ""}It knows ${NAMES.join(", ")}.`,
  );
}

async function gatewayFor(
  name: string,
  client: LaunchClient,
  flags: ParsedFlags,
  io: Io,
): Promise<FoundGateway> {
  const upstream = flags.value("upstream");
  const found = await findGateway(
    {
      config: flags.value("config"),
      flags: defined({
        port: flags.parsed("port", parsePort),
        window: flags.parsed("window", parseTokens),
        db: flags.value("db"),
        upstream,
      }),
      upstream: client.upstream,
      isDry: flags.has("dry-run"),
    },
    io,
  );
  if (found === undefined)
    throw new UsageError(
      `precis launch ${name} needs to know where requests go: --upstream http://localhost:11434/v1`,
    );
  if (!found.isOwn && upstream !== undefined)
    io.stderr.write(
      `precis: a gateway listens at ${found.url} already; its own upstreams hold, --upstream doesn't.\n`,
    );
  return found;
}

function isAnthropic(address: string): boolean {
  return URL.canParse(address) && new URL(address).hostname === "api.anthropic.com";
}

/** What was, or would be, started and set, for people. Keys of the person's own are never among it. */
function told(
  client: LaunchClient,
  { env, args, file }: ClientSettings,
  gateway: FoundGateway,
  own: ReadonlySet<string | undefined>,
  isDry: boolean,
): string {
  const started = isDry ? "would be started" : "started";
  const isOwnKey = (name: string, value: string) => /_(?:KEY|TOKEN)$/.test(name) && own.has(value);
  const set = [
    ...Object.entries(env).map(([name, value]) => `${name}=${isOwnKey(name, value) ? "(your key)" : value}`),
    ...(file ? [`${"flag" in file ? `${file.flag} ` : `${file.variable}=`}(a temporary file)`] : []),
  ];
  return [
    `precis: gateway ${gateway.isOwn ? started : "found"} at ${gateway.url}${gateway.upstreams.length > 0 ? `, upstream ${gateway.upstreams.join(", ")}` : ""}`,
    `precis: ${isDry ? "would start" : "starting"} ${[client.command, ...args].join(" ")}`,
    ...set.map((one) => `precis:   with ${one}`),
    "",
  ].join("\n");
}

/** A gateway for a client, and what is known of it. */
interface FoundGateway {
  readonly url: string;
  /** Addresses of its upstreams, without what only they should see. */
  readonly upstreams: readonly string[];
  /** It was started for this run and ends with it. */
  readonly isOwn: boolean;
  close(): Promise<void>;
}

/** How long a gateway that is there may take to say so (milliseconds). */
const ANSWER_MS = 2_000;

/** What flags and the client say about the gateway. */
interface GatewayWish {
  readonly config: string | undefined;
  readonly flags: GatewayConfigInput & { readonly upstream?: string };
  /** Where requests go if nothing else says so. */
  readonly upstream: string | undefined;
  /** Only say what would be started: nothing listens, and no database is made. */
  readonly isDry: boolean;
}

/** The gateway that listens already, or else one of this process: the same as `precis serve`. */
async function findGateway(wish: GatewayWish, io: Io): Promise<FoundGateway | undefined> {
  const { loadConfig } = await import("../config/load-config.ts");
  const load = (flags: GatewayWish["flags"]) =>
    loadConfig({
      ...(wish.config !== undefined && { file: wish.config }),
      env: io.env,
      flags,
      warn: warnOn(io),
    });
  let config = await load(wish.flags);
  const running = await runningAt(`http://127.0.0.1:${config.port}`);
  if (running) return running;
  if (config.upstreams.length === 0) {
    if (wish.upstream === undefined) return undefined;
    config = await load({ ...wish.flags, upstream: wish.upstream });
  }
  const upstreams = config.upstreams.map(({ baseURL }) => shownAddress(baseURL));
  if (wish.isDry) return { url: addressOf(config), upstreams, isOwn: true, close: async () => {} };
  const { createGateway } = await import("../gateway/create-gateway.ts");
  // The terminal belongs to the client: a line of a log in the middle of its screen would spoil it.
  const gateway = await createGateway({ ...config, workers: 1, log: "silent" }, { version: version() });
  const url = await gateway.listen();
  return { url, upstreams, isOwn: true, close: () => gateway.close() };
}

function addressOf({ host, port }: Pick<GatewayConfig, "host" | "port">): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A gateway that answers at an address. One that wants a client key is there, too, but doesn't tell about its upstreams. */
async function runningAt(url: string): Promise<FoundGateway | undefined> {
  const ask = (path: string): Promise<unknown> =>
    fetch(url + path, { signal: AbortSignal.timeout(ANSWER_MS) })
      .then((answer) => (answer.ok ? answer.json() : undefined))
      .catch(() => undefined);
  const health = (await ask("/healthz")) as { readonly version?: unknown } | undefined;
  if (typeof health?.version !== "string") return undefined;
  const status = (await ask(routes.status.path)) as Status | undefined;
  return {
    url,
    upstreams: status?.upstreams.map(({ baseURL }) => baseURL) ?? [],
    isOwn: false,
    close: async () => {},
  };
}
