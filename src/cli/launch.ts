import { defined } from "../core/defined.ts";
import { nearest } from "../core/nearest.ts";
import type { Io } from "./io.ts";
import { CLIENTS, type ClientSettings, type LaunchClient } from "./launch/clients.ts";
import { type FoundGateway, findGateway } from "./launch/find-gateway.ts";
import { checkInstalled, runClient } from "./launch/run-client.ts";
import { SERVER_FLAGS } from "./open-database.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parsePort, parseTokens } from "./parse-tokens.ts";

const NAMES = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[];

const NEED_MODEL = NAMES.filter((name) => "needsModel" in CLIENTS[name]);

export const launchLine: CommandLine = {
  name: "launch",
  summary: "Starts a coding agent behind the gateway, with the right settings for this run only.",
  usage: "precis launch CLIENT [flags] -- ARGS",
  flags: {
    model: { value: "M", help: `the model that the client asks for (${NEED_MODEL.join(", ")} need it)` },
    ...SERVER_FLAGS,
    port: { value: "N", help: "port of the gateway (default: 8787)" },
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
  const isDry = flags.has("dry-run");
  if (!isDry) await checkInstalled(client, io);
  const gateway = await gatewayFor(name!, client, flags, io);
  try {
    const settings = client.settings({
      url: gateway.url,
      model,
      isAnthropic: gateway.upstreams.length > 0 && gateway.upstreams.every(isAnthropic),
      env: io.env,
    });
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
