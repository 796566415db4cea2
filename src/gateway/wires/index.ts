import type { IncomingHttpHeaders } from "node:http";
import { servedApis } from "../../apis/served.ts";
import type { Route } from "../../apis/shared/served-api.ts";
import { type Wire, wireOf } from "./wire.ts";

/** All APIs, the usual one first. */
const [usual, ...others] = [wireOf(servedApis[0]), ...servedApis.slice(1).map(wireOf)] as const;
const all = [usual, ...others];

export const wires: ReadonlyMap<string, Wire> = new Map(all.map((wire) => [wire.path, wire]));

/** What a path asks which API for. */
export interface Routed {
  readonly wire: Wire;
  readonly route: Route;
}

/** Paths that stand for themselves. */
const routes: ReadonlyMap<string, Routed> = new Map(
  all
    .filter((wire) => !wire.routing)
    .flatMap((wire): (readonly [string, Routed])[] => [
      [wire.path, { wire, route: "answer" }],
      ...(wire.counting ? [[wire.counting.path, { wire, route: "count" }] as const] : []),
      ...(wire.compacting ? [[wire.compacting.path, { wire, route: "compaction" }] as const] : []),
    ]),
);

/** Our paths that name no model. */
export const plainPaths: ReadonlySet<string> = new Set(routes.keys());

/** All of our paths for people to read, and what they are for. */
export const writtenRoutes: readonly (Routed & { readonly path: string })[] = [
  ...[...routes].map(([path, routed]) => ({ path, ...routed })),
  ...all.flatMap((wire) => (wire.routing?.written ?? []).map(([path, route]) => ({ path, wire, route }))),
];

/** What a path (without its query) asks for; undefined if it is none of ours. */
export function routeOf(path: string): Routed | undefined {
  const plain = routes.get(path);
  if (plain) return plain;
  for (const wire of all) {
    const route = wire.routing?.routeOf(path);
    if (route) return { wire, route };
  }
  return undefined;
}

export function streamPath(wire: Wire, model: string): string {
  return wire.routing?.streamPath(model) ?? wire.path;
}

/** The API of a wire format, for conversations that were stored in it. */
export function wireOfDialect(dialect: string | undefined): Wire {
  return all.find((wire) => wire.dialect.id === dialect) ?? usual;
}

/** The API that a path belongs to: its own, or one below it. */
export function wireAtPath(path: string): Wire | undefined {
  return all.find((wire) => wire.routing?.isAt(path) ?? path.startsWith(wire.path));
}

/** The API of a request, by its path or else by its headers: some paths belong to several. */
export function wireOfRequest(path: string, headers: IncomingHttpHeaders): Wire {
  return wireAtPath(path) ?? all.find((wire) => wire.isSpokenBy?.(headers)) ?? usual;
}
