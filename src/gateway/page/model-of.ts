import type { Model } from "../../core/types.ts";
import { summarizerByName, summarizerFor } from "../compaction/summarizer.ts";
import { RequestFault } from "../http/request-fault.ts";
import { upstreamOf } from "../upstream/upstream.ts";
import { wireOfDialect } from "../wires/index.ts";
import type { ApiContext } from "./context.ts";

interface Asked {
  readonly model: Model;
  readonly upstream: ApiContext["gateway"]["upstreams"][number];
}

/** A model by its name, to be asked something beside the chat. */
export function modelOf({ gateway, tenant }: Pick<ApiContext, "gateway" | "tenant">, name: string): Asked {
  const { upstreams, windows } = gateway;
  const upstream = upstreamOf(upstreams, name);
  const config = upstream && summarizerByName(upstreams, name);
  const model =
    upstream &&
    config &&
    summarizerFor({
      config,
      upstreams,
      upstream,
      wire: wireOfDialect(upstream.dialects[0]),
      model: name,
      window: windows.of(upstream, name, tenant).window,
    });
  if (upstream && model) return { model, upstream };
  throw new RequestFault(400, "invalid", `model: no upstream serves ${JSON.stringify(name)}.`, {
    fix: "Choose one of the models that the server lists, or add one in the settings.",
  });
}
