import type { GatewayConfig, GatewayConfigInput } from "../../config/gateway-schema.ts";
import { version } from "../../config/version.ts";
import { defined } from "../../core/collections.ts";
import { routes, type Status } from "../../gateway/api.ts";
import { shownAddress } from "../../gateway/upstream/upstream.ts";
import { type Io, untilAborted, warnOn } from "../io.ts";

/** A gateway for a client, and what is known of it. */
export interface FoundGateway {
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
export async function findGateway(wish: GatewayWish, io: Io): Promise<FoundGateway | undefined> {
  const { loadConfig } = await import("../../config/load-config.ts");
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
  const { createGateway } = await import("../../gateway/create-gateway.ts");
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
