import { defined } from "../core/collections.ts";
import { nearest } from "../core/nearest.ts";
import { CLIENT_NAMES, NEED_MODEL } from "./commands.ts";
import { UsageError } from "./flags.ts";
import { CLIENTS, type ClientSettings, type LaunchClient } from "./launch/clients.ts";
import { type FoundGateway, findGateway } from "./launch/find-gateway.ts";
import { checkInstalled, runClient } from "./launch/run-client.ts";
import type { RunOf } from "./run.ts";

/** Starts what is needed, says what it set, and ends what it started. */
export async function launch(run: RunOf<"launch">): Promise<number> {
  const { io, options, note } = run;
  const [given = "", ...more] = run.args;
  const { model, upstream, dryRun: isDry = false, port, window, db } = options;
  const name = CLIENT_NAMES.find((one) => one === given);
  if (name === undefined) {
    const close = nearest(given, CLIENT_NAMES);
    throw new UsageError(
      `launch doesn't know ${given}. ${close ? `Did you mean ${close}? ` : ""}It knows ${CLIENT_NAMES.join(", ")}.`,
    );
  }
  const client = CLIENTS[name];
  if (NEED_MODEL.includes(name) && model === undefined)
    throw new UsageError(`${name} needs a model: --model NAME, as the upstream calls it.`);
  if (!isDry) await checkInstalled(client, io);
  const flags = defined({ port, window, db, upstream });
  const gateway = await findGateway({ config: options.config, flags, upstream: client.upstream, isDry }, io);
  if (gateway === undefined)
    throw new UsageError(`${name} needs to know where requests go: --upstream http://localhost:11434/v1`);
  try {
    if (!gateway.isOwn && upstream !== undefined)
      note(`a gateway listens at ${gateway.url} already; its own upstreams hold, --upstream doesn't.`);
    const settings = client.settings({
      url: gateway.url,
      model,
      isAnthropic: gateway.upstreams.length > 0 && gateway.upstreams.every(isAnthropic),
      env: io.env,
    });
    const { key } = client;
    const isOwnProvider = gateway.isOwn && upstream === undefined && gateway.upstreams[0] === client.upstream;
    if (key && isOwnProvider && !io.env[key])
      note(`${key} isn't set, so ${client.upstream} will refuse requests. Set it, or give --upstream.`);
    io.stderr.write(told(client, settings, gateway, new Set(Object.values(io.env)), isDry));
    return isDry ? 0 : await runClient(client, settings, more, io);
  } finally {
    await gateway.close();
  }
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
