import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const WEB = new URL("../../dist/web/", import.meta.url);

/** Bytes of the first load, compressed: script and styles that the document names. */
export function firstLoad(): { readonly scriptGzip: number; readonly styleGzip: number } {
  const html = readFileSync(new URL("index.html", WEB), "utf8");
  const size = (extension: string): number =>
    [...html.matchAll(new RegExp(`(?:src|href)="(/[^"]+\\.${extension})"`, "g"))].reduce(
      (sum, [, path]) => sum + gzipSync(readFileSync(new URL(`.${path}`, WEB))).length,
      0,
    );
  return { scriptGzip: size("js"), styleGzip: size("css") };
}
