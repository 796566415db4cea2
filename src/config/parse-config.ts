import { landingProblem } from "../core/budget.ts";
import { ConfigError } from "../core/errors.ts";
import { explainIssue } from "./explain-issue.ts";
import { type GatewayConfig, gatewaySchema } from "./gateway-schema.ts";
import { isLoopback } from "./loopback.ts";

/** Checks a config, fills in the defaults and freezes it. The error names the key at fault. */
export function parseConfig(input: unknown, source = "the config"): GatewayConfig {
  const parsed = gatewaySchema.safeParse(input);
  if (!parsed.success) {
    const { key, problem, fix } = explainIssue(parsed.error.issues, input);
    throw new ConfigError({
      option: key === "" ? source : key,
      message: `${problem} (in ${source}).`,
      fix,
      cause: parsed.error,
    });
  }
  const config = parsed.data;
  const names = config.upstreams.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0)
    throw new ConfigError({
      option: `upstreams.${twice}.name`,
      message: `two upstreams have the name ${names[twice]} (in ${source}).`,
      fix: "Give each its own name.",
    });
  for (const [index, one] of [config, ...config.upstreams].entries()) {
    const wanted = typeof one.summarizer === "object" ? one.summarizer.upstream : undefined;
    if (wanted !== undefined && !names.includes(wanted))
      throw new ConfigError({
        option: index === 0 ? "summarizer.upstream" : `upstreams.${index - 1}.summarizer.upstream`,
        message: `there is no upstream ${wanted} (in ${source}).`,
        fix: `The upstreams are: ${names.join(", ") || "none"}.`,
      });
  }
  const wrong = landingProblem(config);
  if (wrong)
    throw new ConfigError({
      option: "landAt",
      message: `${config.landAt} ${wrong.problem} (in ${source}).`,
      fix: wrong.fix,
    });
  if (!isLoopback(config.host) && config.auth.mode === "open")
    throw new ConfigError({
      option: "auth.mode",
      message: `without keys, anyone on the network can use the gateway on ${config.host}.`,
      fix: 'Set auth.mode to "keys" and create a client key (precis serve --new-key NAME), or bind to 127.0.0.1.',
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
