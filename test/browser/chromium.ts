import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

// The headless shell has no windows, menus or settings: tests take half of the time with it.
const executableNames = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/** Returns the path of Chromium: the variable `CHROMIUM`, or the first executable on `PATH`; else `undefined`. */
export function findChromium(): string | undefined {
  if (process.env.CHROMIUM !== undefined) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => executableNames.map((name) => join(folder, name))).find(isExecutable);
}

/** Option `skip` of browser tests: a reason, or false. With `CI=true` a missing Chromium is a failure. */
export const browserSkip: string | false =
  findChromium() === undefined && process.env.CI !== "true" ? "Chromium is not installed" : false;

/** Time limit of each wait in a page, in milliseconds. It only ends a wait without an end: pages are slow on a busy machine. */
const timeoutMs = 240_000;

/** Starts Chromium. */
export async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error("These tests need Chromium. Install it, or set CHROMIUM to its path.");
  // The sandbox of Chromium does not run as root, the user of many containers.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({
    executablePath,
    args: [...args, "--disable-background-networking"],
    timeout: timeoutMs,
  });
  browser.on("context", (context) => context.setDefaultTimeout(timeoutMs));
  return browser;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
