import type { GatewayConfig } from "../../config/gateway-schema.ts";
import { checkValues } from "../http/check-values.ts";
import { RequestFault } from "../http/request-fault.ts";

/** The JSON of a request's body. Read piece by piece, because a body needn't say how long it is. */
export async function readJson(
  request: Request,
  { bodyBytes: limit, values }: Pick<GatewayConfig["limits"], "bodyBytes" | "values">,
): Promise<unknown> {
  const tooLarge = () => new RequestFault(413, "too-large", `The body is larger than ${limit} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > limit) throw tooLarge();
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces, size);
  await checkValues(bytes, values);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new RequestFault(400, "bad-json", "The body isn't valid JSON.");
  }
}
