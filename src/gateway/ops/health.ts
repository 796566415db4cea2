import type { ServerResponse } from "node:http";
import { AggregatorRegistry, type Registry } from "prom-client";
import { INERT, sendJson } from "../http/send-json.ts";
import type { OpsParts } from "./upkeep.ts";

/** Longest that the store may take to say that it is there (milliseconds). */
const READY_MS = 2_000;

type HealthParts = Pick<
  OpsParts,
  "version" | "store" | "upstreams" | "spill" | "logHealth" | "metrics" | "gather" | "log" | "isLeaving"
>;

export const OPS_PATHS = new Set(["/healthz", "/readyz", "/metrics"]);

/** `/healthz`: the process runs. `/readyz`: it can serve. `/metrics`: for Prometheus. */
export async function handleOps(
  parts: HealthParts,
  response: ServerResponse,
  pathname: string,
): Promise<void> {
  if (pathname === "/healthz") sendJson(response, 200, { status: "ok", version: parts.version });
  else if (pathname === "/readyz") await ready(parts, response);
  else {
    const registry = await registryOf(parts);
    response.writeHead(200, { "content-type": registry.contentType, ...INERT });
    response.end(await registry.metrics());
  }
}

async function ready(parts: HealthParts, response: ServerResponse): Promise<void> {
  if (parts.isLeaving()) {
    sendJson(response, 503, { status: "draining" });
    return;
  }
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("the store doesn't answer")), READY_MS).unref();
  });
  try {
    await Promise.race([parts.store.conversations.get("default", "readyz"), timeout]);
    sendJson(response, 200, {
      status: "ready",
      store: parts.store.kind,
      upstreams: parts.upstreams.length,
      ...troubles(parts),
    });
  } catch (error) {
    parts.log.error({ err: error }, "not ready");
    sendJson(response, 503, { status: "store-unavailable", ...troubles(parts) });
  }
}

/** What doesn't keep it from serving and somebody should know. */
function troubles({ spill, logHealth }: HealthParts): object {
  const fault = logHealth?.fault();
  return {
    ...(spill && spill.waiting > 0 && { unstoredAnswers: spill.waiting }),
    ...(fault !== undefined && { log: `can't be written: ${fault}` }),
  };
}

/** One process knows only what went through it; whoever asks wants to know about the server. */
async function registryOf({ gather, metrics }: HealthParts): Promise<Registry> {
  if (!gather) return metrics.registry;
  return AggregatorRegistry.aggregate([...(await gather(await metrics.registry.getMetricsAsJSON()))]);
}
