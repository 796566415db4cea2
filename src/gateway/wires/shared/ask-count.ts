import { type CountingEndpoint, countingBody } from "../../../apis/shared/counting.ts";
import type { Json } from "../../../apis/shared/fields.ts";
import type { CountRequest } from "../wire.ts";

/** Asks an endpoint that stands behind the path of the request that it counts. */
export function askCount(endpoint: CountingEndpoint): (body: Json, path: string) => CountRequest {
  return (body, path) => {
    const [bare = path, ...query] = path.split("?");
    return { path: [bare + endpoint.path, ...query].join("?"), body: countingBody(endpoint, body) };
  };
}
