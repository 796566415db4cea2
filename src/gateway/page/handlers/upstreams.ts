import { textOf } from "../../../apis/shared/fields.ts";
import { parseUpstream } from "../../../config/gateway-schema.ts";
import { schemas } from "../../api/schemas.ts";
import type { AddedUpstream, UpstreamTest } from "../../api.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { candidates, findLocalServers } from "../../upstream/local-servers.ts";
import type { OwnUpstream } from "../../upstream/own-upstreams.ts";
import { createUpstream } from "../../upstream/upstream.ts";
import { UpstreamFault } from "../../upstream/upstream-fault.ts";
import { modelsOf } from "../../v1/list-models.ts";
import type { ApiContext, Handlers, PageParts } from "../context.ts";
import { statusOf } from "./status.ts";

/** Servers of models that a person adds on the page. */
export const upstreamHandlers = {
  async foundServers({ gateway, signal }) {
    mustBeOwn(gateway);
    const taken = new Set(gateway.upstreams.map(({ url }) => url.host));
    const found = await findLocalServers(candidates(), signal);
    return {
      servers: found
        .filter(({ baseURL }) => !taken.has(new URL(baseURL).host))
        .map(({ name, baseURL, models }) => ({ name, baseURL, models })),
    };
  },

  async testUpstream(context) {
    mustBeOwn(context.gateway);
    return tested(await context.body(schemas.newUpstream));
  },

  async addUpstream(context): Promise<AddedUpstream> {
    const { gateway, tenant } = context;
    mustBeOwn(gateway);
    const given = await context.body(schemas.newUpstream);
    const name = given.name ?? nameFor(gateway, given.baseURL);
    const isTaken = gateway.upstreams.some((one) => one.name === name);
    if (isTaken && !gateway.ownUpstreams.has(name))
      throw new RequestFault(409, "invalid", `name: there is an upstream ${name} already.`, {
        fix: "Choose another name.",
      });
    const twin = gateway.upstreams.find((one) => one.name !== name && isSameAddress(one.url, given.baseURL));
    if (twin)
      throw new RequestFault(409, "invalid", `baseURL: ${given.baseURL} is here already, as ${twin.name}.`, {
        fix: gateway.ownUpstreams.has(twin.name)
          ? `Remove ${twin.name} first to give it another key.`
          : "Remove it from the server's config, under upstreams, to add it here.",
      });
    const test = await tested(given);
    const upstream: OwnUpstream = {
      name,
      baseURL: given.baseURL,
      ...(given.apiKey !== undefined && { apiKey: given.apiKey }),
      // Only its own models go there: others may have another server.
      ...(test.ok && test.models.length > 0 && { models: [...test.models] }),
    };
    await gateway.ownUpstreams.add(upstream);
    gateway.live.send(tenant, { type: "settings" });
    const warning = test.ok
      ? test.models.length === 0 && `${name} was added, but it lists no models.`
      : `${name} was added, but it may not answer. ${test.message} ${test.fix}`;
    return { ...statusOf(gateway), ...(warning && { warning }) };
  },

  async removeUpstream(context) {
    const { gateway, tenant } = context;
    mustBeOwn(gateway);
    const name = context.param("name");
    if (!gateway.ownUpstreams.has(name))
      throw new RequestFault(404, "not-found", `No upstream ${JSON.stringify(name)} was added on the page.`);
    await gateway.ownUpstreams.remove(name);
    gateway.live.send(tenant, { type: "settings" });
    return statusOf(gateway);
  },
} satisfies Partial<Handlers>;

/** What many share is set up by whoever runs it: an upstream sees everybody's words. */
function mustBeOwn({ canAddModels }: Pick<PageParts, "canAddModels">): void {
  if (!canAddModels)
    throw new RequestFault(
      403,
      "not-allowed",
      "Models can't be added on the page of a server with client keys or several workers.",
      { fix: "List them under upstreams in its config." },
    );
}

/** Asks a server for its models, as it will be asked later. */
async function tested({
  baseURL,
  apiKey,
}: {
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
}): Promise<UpstreamTest> {
  const upstream = createUpstream(
    parseUpstream({ name: "upstream", baseURL, ...(apiKey !== undefined && { apiKey }) }),
  );
  try {
    const listed = await modelsOf(upstream, {}, true);
    return { ok: true, models: listed.flatMap(({ id }) => textOf(id) ?? []) };
  } catch (error) {
    const words = error instanceof Error ? error.message.replace(/^precis: /, "") : String(error);
    const failed = (problem: string, fix: string): UpstreamTest => ({
      ok: false,
      message: `Its models can't be listed: ${problem}`,
      fix,
    });
    // What couldn't be reached says in its last sentence what to do about it.
    const [, problem, advice] = (error instanceof UpstreamFault && /^(.*?\.) (.*)$/s.exec(words)) || [];
    if (problem !== undefined && advice !== undefined) return failed(problem, advice);
    const isKey = error instanceof RequestFault && error.code === "upstream-key";
    return failed(words, isKey ? "Check the key." : "Check the address and that the server is running.");
  } finally {
    void upstream.pool.close();
  }
}

/** A last slash makes no other address. */
function isSameAddress(known: URL, baseURL: string): boolean {
  const plain = ({ href }: URL): string => href.replace(/\/+$/, "");
  return plain(known) === plain(new URL(baseURL));
}

/** A name by the host: `localhost-11434`, `api.openai.com`. */
function nameFor({ upstreams }: Pick<ApiContext["gateway"], "upstreams">, baseURL: string): string {
  const base = new URL(baseURL).host.replace(/[^\w.-]+/g, "-");
  const taken = new Set(upstreams.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}
