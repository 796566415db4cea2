import type { OpsParts } from "./ops/ops-parts.ts";
import type { PageParts } from "./page/context.ts";
import type { Requests } from "./requests/requests.ts";
import type { V1Parts } from "./v1/pass-through.ts";

/** All parts of a server. They are made in `create-gateway.ts`; everybody else takes those that they need. */
export interface Gateway extends V1Parts, PageParts, OpsParts {
  readonly requests: Requests;
}
