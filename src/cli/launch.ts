import { spawn } from "node:child_process";
import { access, mkdir, mkdtemp, constants as modes, readdir, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ANTHROPIC } from "../apis/shared/providers.ts";
import type { GatewayConfig, GatewayConfigInput } from "../config/gateway-schema.ts";
import { version } from "../config/version.ts";
import { nearest } from "../core/check.ts";
import { defined } from "../core/collections.ts";
import { routes, type Status } from "../gateway/api.ts";
import { shownAddress } from "../gateway/upstream/upstream.ts";
import { CLIENT_NAMES, NEED_MODEL } from "./commands.ts";
import { UsageError } from "./flags.ts";
import { type Io, untilAborted, warnOn } from "./io.ts";
import { CLIENTS, type ClientSettings, type LaunchClient } from "./launch/clients.ts";
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
      `unknown client ${given}. ${close ? `Did you mean ${close}? ` : ""}The clients are ${CLIENT_NAMES.join(", ")}.`,
    );
  }
  const client = CLIENTS[name];
  if (NEED_MODEL.includes(name) && model === undefined)
    throw new UsageError(`${name} needs a model: --model NAME, with the upstream's name for it.`);
  if (!isDry) await checkInstalled(client, io);
  const flags = defined({ port, window, db, upstream });
  const gateway = await findGateway({ config: options.config, flags, upstream: client.upstream, isDry }, io);
  if (gateway === undefined)
    throw new UsageError(`${name} needs an upstream, such as --upstream http://localhost:11434/v1`);
  try {
    if (!gateway.isOwn && upstream !== undefined)
      note(
        `a gateway is already running at ${gateway.url}, so --upstream is ignored in favour of its own upstreams.`,
      );
    const settings = client.settings({
      url: gateway.url,
      model,
      isAnthropic: gateway.upstreams.length > 0 && gateway.upstreams.every(isAnthropic),
      env: io.env,
    });
    const { key } = client;
    const isOwnProvider = gateway.isOwn && upstream === undefined && gateway.upstreams[0] === client.upstream;
    if (key && isOwnProvider && !io.env[key])
      note(`${key} isn't set, so ${client.upstream} will reject requests. Set it, or give --upstream.`);
    io.stderr.write(startedText(client, settings, gateway, new Set(Object.values(io.env)), isDry));
    return isDry ? 0 : await runClient(client, settings, more, io);
  } finally {
    await gateway.close();
  }
}

function isAnthropic(address: string): boolean {
  return URL.canParse(address) && ANTHROPIC.isAt(new URL(address).hostname);
}

/** What was, or would be, started and set, for people. Keys of the person's own are never among it. */
function startedText(
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
  /** Where this client's requests go if nothing else says so, whichever keys are in the environment. */
  readonly upstream: string | undefined;
  /** Only say what would be started: nothing listens, and no database is made. */
  readonly isDry: boolean;
}

/** The gateway that listens already, or else one of this process: the same as `precis serve`. */
async function findGateway(wish: GatewayWish, io: Io): Promise<FoundGateway | undefined> {
  const { loadConfig } = await import("../config/load-config.ts");
  const config = await loadConfig({
    ...defined({ file: wish.config, fallback: wish.upstream }),
    env: io.env,
    flags: wish.flags,
    warn: warnOn(io),
  });
  const running = await runningAt(`http://127.0.0.1:${config.port}`);
  if (running) return running;
  if (config.upstreams.length === 0) return undefined;
  const upstreams = config.upstreams.map(({ baseURL }) => shownAddress(baseURL));
  if (wish.isDry) return { url: addressOf(config), upstreams, isOwn: true, close: async () => {} };
  const { createGateway } = await import("../gateway/create-gateway.ts");
  // The terminal belongs to the client: a line of a log in the middle of its screen would spoil it.
  const starting = createGateway({ ...config, workers: 1, log: "silent" }, { version: version() });
  const gateway = await untilAborted(starting, io.signal);
  if (!gateway) throw io.signal.reason;
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

/** What a shell adds to the number of a signal that ended a program. */
const SIGNALLED = 128;
const OWNER_ONLY = 0o700;

/** A new folder inside of the person's own: Gemini CLI believes no settings below a folder that others may write to. */
async function privateFolder({ env }: Pick<Io, "env">): Promise<string> {
  const home = env["HOME"];
  const cache = env["XDG_CACHE_HOME"] || (home && join(home, ".cache"));
  const parent = cache ? join(cache, "precis") : tmpdir();
  await mkdir(parent, { recursive: true, mode: OWNER_ONLY });
  await removeLeftovers(parent);
  return mkdtemp(join(parent, `launch-${process.pid}-`));
}

/** Removes what runs left behind that were killed: a key may stand in it. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = /^launch-(\d+)-/.exec(name)?.[1];
    // What another person left in the machine's temporary folder is theirs to remove.
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Refuses a client that isn't installed before anything is started for it. */
async function checkInstalled(
  { command, install }: Pick<LaunchClient, "command" | "install">,
  { env }: Pick<Io, "env">,
): Promise<void> {
  const endings = process.platform === "win32" ? (env["PATHEXT"] ?? ".EXE").split(";") : [""];
  for (const folder of (env["PATH"] ?? env["Path"] ?? "").split(delimiter))
    for (const ending of endings) {
      const path = join(folder || ".", command + ending);
      if (
        await access(path, modes.X_OK).then(
          () => true,
          () => false,
        )
      )
        return;
    }
  throw new UsageError(`${command} isn't installed or isn't on the PATH. Install it: ${install}`);
}

/** Runs a client program to its end with its settings, in this terminal. Returns its exit code. */
export async function runClient(
  client: Pick<LaunchClient, "command">,
  { env, args, file }: ClientSettings,
  more: readonly string[],
  io: Io,
): Promise<number> {
  // Ctrl-C may have come while the gateway was being started.
  io.signal.throwIfAborted();
  const folder = file && (await privateFolder(io));
  try {
    const path = file && folder && join(folder, file.name);
    if (file && path) await writeFile(path, JSON.stringify(file.json), { mode: 0o600 });
    return await new Promise<number>((resolve, reject) => {
      const flag = file && path && "flag" in file ? [file.flag, path] : [];
      const variable = file && path && "variable" in file ? { [file.variable]: path } : {};
      const child = spawn(client.command, [...args, ...flag, ...more], {
        stdio: "inherit",
        env: { ...io.env, ...env, ...variable },
      });
      // Ctrl-C reaches the client by itself, as it has the same terminal: it decides what that means.
      const stop = () => {
        if (io.interrupted?.aborted !== true) child.kill("SIGTERM");
      };
      io.signal.addEventListener("abort", stop, { once: true });
      // A window that is closed ends the client; its settings still have to be removed.
      const ignoreHangUp = io.onHangUp?.(() => child.kill("SIGTERM"));
      const letGo = () => {
        io.signal.removeEventListener("abort", stop);
        ignoreHangUp?.();
      };
      child.once("error", (error) => {
        letGo();
        reject(error);
      });
      child.once("close", (code, signal) => {
        letGo();
        resolve(code ?? SIGNALLED + (signal ? constants.signals[signal] : 0));
      });
    });
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}
