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

/**
 * Pages are painted by the browser's own software. The bundled browser would draw them with SwiftShader, a graphics card
 * made of software, which takes two thirds of the work of a page test.
 */
const WITHOUT_GRAPHICS_CARD = "--disable-gpu";
/** What the bundled browser is told that doesn't fit here: one process for all pages would end with the first page that is closed. */
const UNFIT = /single-process|no-zygote|gpu|use-gl|use-angle|swiftshader/;

export async function browserOptions(): Promise<{ executablePath: string; args: string[]; timeout: number }> {
  if (path === undefined && !isBundled) throw new Error(NO_BROWSER);
  const args = path === undefined ? bundled.args.filter((flag) => !UNFIT.test(flag)) : ["--no-sandbox"];
  return {
    executablePath: path ?? (await bundled.executablePath()),
    args: [...args, WITHOUT_GRAPHICS_CARD],
    timeout: LAUNCH_MS,
  };
}

function installed(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(file: string) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
