import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { pipeline } from "node:stream";
import { fileURLToPath } from "node:url";

/** The built page, beside the compiled server: the same place from `src/gateway/page` and from `dist/gateway/page`. */
const ROOT = fileURLToPath(new URL("../../../dist/web/", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".jsonl": "application/jsonl",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/** The page talks to its own server only, and nobody may frame it. */
const SAFE_HEADERS = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** A file of the page; `index.html` for every path of its own router. */
export async function servePage(response: ServerResponse, pathname: string, isHead: boolean): Promise<void> {
  const wanted = join(ROOT, normalize(decode(pathname)));
  const inside = wanted.startsWith(ROOT.endsWith(sep) ? ROOT : ROOT + sep);
  const file = inside && extname(wanted) !== "" ? wanted : join(ROOT, "index.html");
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) {
    notBuilt(response, pathname, isHead);
    return;
  }
  const isAsset = pathname.startsWith("/assets/");
  response.writeHead(200, {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "content-length": found.size,
    // Built files carry a hash in their name.
    "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    ...SAFE_HEADERS,
  });
  if (isHead) response.end();
  // A file that can't be read after all ends its answer, not the server.
  else pipeline(createReadStream(file), response, () => {});
}

function decode(pathname: string): string {
  try {
    return decodeURIComponent(pathname).replaceAll("\0", "");
  } catch {
    return "/";
  }
}

function notBuilt(response: ServerResponse, pathname: string, isHead: boolean): void {
  const text =
    '<!doctype html><meta charset="utf-8"><title>precis</title><style>body{font:16px/1.5 system-ui;margin:3rem auto;max-width:40rem;padding:0 1rem}</style><h1>precis is running</h1><p>The API is at <code>/v1</code> and <code>/api</code>. The page hasn\'t been built: run <code>npm run build</code> and reload.</p>';
  const isRoot = extname(pathname) === "";
  response.writeHead(isRoot ? 200 : 404, { "content-type": TYPES[".html"], ...SAFE_HEADERS });
  response.end(isHead ? undefined : isRoot ? text : "not found");
}
