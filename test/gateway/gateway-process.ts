import { parseConfig } from "../../src/config/parse-config.ts";
import { createGateway, type GatewayParts, type RunningGateway } from "../../src/gateway/create-gateway.ts";

/** A gateway inside of the test's own process, on a free port and with its store in memory. */
export async function startGateway(
  config: object,
  parts: GatewayParts = {},
): Promise<RunningGateway & { readonly url: string }> {
  const running = await createGateway(
    parseConfig({ port: 0, db: "memory", log: "silent", limits: { drainMs: 500 }, ...config }),
    parts,
  );
  const url = await running.listen();
  return { ...running, url };
}

/** One upstream for everything. */
export function upstreamAt(url: string, more: object = {}): object {
  return { upstreams: [{ name: "fake", baseURL: url, ...more }] };
}
