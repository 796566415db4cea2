// @ts-check
/** The real browser of tests and benchmarks. npm brings one along for Linux on x64; elsewhere an installed one is used. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import bundled from "@sparticuz/chromium";

/** How installed ones are called. */
const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** A browser that hasn't started by then hangs; a busy machine takes its time (milliseconds). */
const LAUNCH_MS = 600_000;

const isBundled = process.platform === "linux" && process.arch === "x64";
const path = process.env["PRECIS_BROWSER"] ?? (isBundled ? undefined : installed());

export const hasBrowser = isBundled || path !== undefined;

export const NO_BROWSER = `no browser comes along for ${process.platform} on ${process.arch}: install Chromium, or set PRECIS_BROWSER to the path of one`;

/** @returns {Promise<{ executablePath: string, args: string[], timeout: number }>} */
export async function browserOptions() {
  if (path !== undefined) return { executablePath: path, args: ["--no-sandbox"], timeout: LAUNCH_MS };
  if (!isBundled) throw new Error(NO_BROWSER);
  // One process for all pages would end with the first page that is closed.
  const args = bundled.args.filter((flag) => !/single-process|no-zygote/.test(flag));
  return { executablePath: await bundled.executablePath(), args, timeout: LAUNCH_MS };
}

/** @returns {string | undefined} */
function installed() {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
