import { ConfigError } from "../core/errors.ts";
import { type GatewayConfig, gatewaySchema } from "./gateway-schema.ts";
import { isLoopback } from "./loopback.ts";

/** Checks a config, fills in the defaults and freezes it. The error names the key at fault. */
export function parseConfig(input: unknown, source = "the config"): GatewayConfig {
  const parsed = gatewaySchema.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const unknown = "keys" in issue ? issue.keys : [];
    const path = [...issue.path, ...unknown.slice(0, 1)];
    throw new ConfigError({
      option: path.length === 0 ? source : path.map(String).join("."),
      message: `${issue.message} (in ${source}).`,
      fix: "See docs/guide/gateway.md for every key.",
      cause: parsed.error,
    });
  }
  const config = parsed.data;
  const names = config.upstreams.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ConfigError({
      option: "upstreams.name",
      message: `two upstreams are called ${twice}.`,
      fix: "Give each a name of its own.",
    });
  for (const [index, one] of [config, ...config.upstreams].entries()) {
    const wanted = typeof one.summarizer === "object" ? one.summarizer.upstream : undefined;
    if (wanted !== undefined && !names.includes(wanted))
      throw new ConfigError({
        option: index === 0 ? "summarizer.upstream" : `upstreams.${index - 1}.summarizer.upstream`,
        message: `there is no upstream ${wanted}.`,
        fix: `The upstreams are: ${names.join(", ") || "none"}.`,
      });
  }
  if (!isLoopback(config.host) && config.auth.mode === "open")
    throw new ConfigError({
      option: "auth.mode",
      message: `open to anyone on ${config.host}, which other machines can reach.`,
      fix: 'Set auth.mode to "keys" and make a client key (precis serve --new-key NAME), or bind to 127.0.0.1.',
    });
  return deepFreeze(config);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const field of Object.values(value)) deepFreeze(field);
  }
  return value;
}
