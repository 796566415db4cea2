import { onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import { createGateway, type GatewayParts, type RunningGateway } from "../../src/gateway/create-gateway.ts";
import {
  type FakeProvider,
  type FakeProviderOptions,
  startFakeProvider,
} from "../../src/testing/fake-provider/index.ts";

export interface StartedGateway extends RunningGateway {
  readonly url: string;
}

/** A gateway inside of the test's own process, on a free port and with its store in memory. */
export async function startGateway(config: object, parts: GatewayParts = {}): Promise<StartedGateway> {
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

/** A fake provider and a gateway before it, which end with the test that starts them. */
export async function startBoth(
  config: object,
  options: FakeProviderOptions,
  parts: GatewayParts = {},
): Promise<{ readonly provider: FakeProvider; readonly gateway: StartedGateway }> {
  const provider = await startFakeProvider(options);
  const gateway = await startGateway({ ...upstreamAt(provider.url), ...config }, parts);
  onTestFinished(async () => {
    await gateway.close();
    await provider.close();
  });
  return { provider, gateway };
}
