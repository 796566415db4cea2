import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayConfigInput } from "../config/gateway-schema.ts";
import { parseConfig } from "../config/parse-config.ts";
import { version } from "../config/version.ts";
import { ConfigError } from "../core/errors.ts";
import { createGateway as createServer } from "./create-gateway.ts";

export type { GatewayConfigInput };

/** The gateway inside of a server of the host's own. */
export interface MountedGateway {
  /**
   * Answers one request of Node's (`IncomingMessage`, `ServerResponse`): a listener for `http.createServer`, and a middleware for
   * Express. It must get the body unread, so it stands before whatever parses bodies. Where it is mounted below a path, that path must
   * be gone from `request.url`.
   */
  handler(request: object, response: object): void;
  /** Lets requests under way end, writes what is still to be written, and closes the database. */
  close(): Promise<void>;
}

/**
 * The gateway as a part of a server of your own, without a port: the same as `precis serve` with the same config.
 *
 * ```ts
 * import { createServer } from "node:http";
 * import { createGateway } from "@precis/gateway";
 *
 * const gateway = await createGateway({
 *   db: "memory",
 *   upstreams: [{ name: "local", baseURL: "http://127.0.0.1:11434/v1" }],
 * });
 * const server = createServer(gateway.handler); // clients use http://127.0.0.1:PORT/v1
 * server.close();
 * await gateway.close();
 * ```
 *
 * It reads no environment and no file: keys stand in the config. As long as `host` is this machine, only its own names are
 * answered; list the names of your server under `hosts`, and ask for client keys with `auth: { mode: "keys" }` if strangers reach it.
 *
 * @throws ConfigError if the config can't work; its text names the key and the fix.
 */
export async function createGateway(config: GatewayConfigInput = {}): Promise<MountedGateway> {
  refuseNames(config);
  const underWay = new Set<Promise<unknown>>();
  const running = await createServer(parseConfig(config, "createGateway"), {
    version: version(),
    settled: () => Promise.all(underWay),
  });
  return {
    handler(request: IncomingMessage, response: ServerResponse) {
      const end = once(response, "close").finally(() => underWay.delete(end));
      underWay.add(end);
      running.handler(request, response);
    },
    close: () => running.close(),
  };
}

/** `env:NAME` is for config files. Taken as it stands, it would be a key that anybody can guess. */
function refuseNames({ upstreams = [], auth }: GatewayConfigInput): void {
  const keys: readonly (readonly [string, unknown])[] = [
    ...upstreams.map((one, n) => [`upstreams.${n}.apiKey`, one.apiKey] as const),
    ...(auth?.keys ?? []).map((one, n) => [`auth.keys.${n}.key`, one.key] as const),
  ];
  const named = keys.find(([, key]) => typeof key === "string" && key.startsWith("env:"));
  if (named)
    throw new ConfigError({
      option: named[0],
      message: `${String(named[1])} names a variable, and createGateway reads none.`,
      fix: `Give the key itself: process.env[${JSON.stringify(String(named[1]).slice(4))}].`,
    });
}
