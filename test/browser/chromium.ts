import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The Chromium of this machine: `CHROMIUM`, or the first one on the path; `undefined` when there is none. */
export function findChromium(): string | undefined {
  if (process.env.CHROMIUM !== undefined) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

/** What `test` skips a browser test with: a reason, or false. With `CI=true` a missing Chromium is a failure instead. */
export const browserSkip: string | false =
  findChromium() === undefined && process.env.CI !== "true" ? "no Chromium on this machine" : false;

/** Starts it. */
export function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("These tests need Chromium: install it, or name it in CHROMIUM");
  // The sandbox of Chromium refuses to run as root, as containers do.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args: [...args, "--disable-background-networking"] });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
