import type { HostedTool } from "../../apis/shared/hosting.ts";
import type { HostedToolName } from "../../config/gateway-schema.ts";
import { COMPACT_TOOL } from "../../recall/compact-tool.ts";
import { RECALL_TOOL } from "../../recall/recall-tool.ts";
import type { Wire } from "./index.ts";

/** How tools are called in requests. Names of clients' own tools don't begin so. */
const PREFIX = "precis_";

export function hostedName(tool: HostedToolName): string {
  return `${PREFIX}${tool}`;
}

/** A tool as models are told of it. */
export function hostedTool(tool: HostedToolName): HostedTool {
  const { description, parameters } = DESCRIBED[tool];
  return { name: hostedName(tool), description, parameters };
}

const DESCRIBED: Readonly<Record<HostedToolName, Pick<HostedTool, "description" | "parameters">>> = {
  recall: RECALL_TOOL,
  compact: COMPACT_TOOL,
};

/** The `tools` of a request that has none but these; undefined where the API can't carry them. */
export function hostedAlone({ hosting }: Pick<Wire, "hosting">, tools: readonly HostedToolName[]): unknown {
  return tools.length === 0 ? undefined : hosting?.offer({}, tools.map(hostedTool))["tools"];
}
