import { nearest } from "../core/nearest.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { VARIABLES, type Variables } from "./given-settings.ts";

const PREFIX = "PRECIS_";

/** What Kubernetes sets for a service called precis. */
const OF_A_SERVICE = /^PRECIS_(?:SERVICE_(?:HOST|PORT)|PORT_\d+_(?:TCP|UDP|SCTP))(?:_|$)/;

/** Variables that look like precis's own and that nothing reads, each in words for whoever set it. */
export function unknownVariables(env: Variables, isNamed: (variable: string) => boolean): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && (env[name] ?? "") !== "")
    .filter((name) => !VARIABLES.includes(name) && !OF_A_SERVICE.test(name) && !isNamed(name))
    .sort()
    .map((name) => `${name} is no variable that precis knows, and is passed over. ${adviceOn(name)}`);
}

function adviceOn(name: string): string {
  const short = (text: string) => text.slice(PREFIX.length);
  const key = Object.keys(gatewaySchema.shape).find((one) => bare(one) === bare(short(name)));
  if (key !== undefined) return `Set ${key} in the config file instead.`;
  // Without what all have in common, which would make any two of them alike.
  const close = nearest(short(name), VARIABLES.map(short));
  return close === undefined ? `It knows ${VARIABLES.join(", ")}.` : `Did you mean ${PREFIX}${close}?`;
}

/** `landAt` and `LAND_AT` are one name. */
const bare = (text: string): string => text.replaceAll("_", "").toLowerCase();
