import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "../core/index.ts";
import { invalidFile } from "./errors.ts";

/** What an env file holds. */
export interface EnvFile {
  /** Its name, such as `.env.test`. */
  readonly name: string;
  readonly path: string;
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Reads the env files of a folder that are there, the strongest first.
 *
 * @throws E_CONFIGURATION_FILE when one cannot be read, or holds a line that assigns nothing.
 */
export function readEnvFiles(folder: string, environment: Environment): readonly EnvFile[] {
  const names = [
    `.env.${environment}.local`,
    `.env.${environment}`,
    // Tests give the same result on every machine.
    ...(environment === "test" ? [] : [".env.local"]),
    ".env",
  ];
  return names.flatMap((name) => {
    const path = join(folder, name);
    const text = readText(path);
    return text === undefined ? [] : [{ name, path, values: new Map(Object.entries(parse(path, text))) }];
  });
}

function readText(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw invalidFile(path, code === "EISDIR" ? "is a folder" : `cannot be read (${code})`).causedBy(cause);
  }
  try {
    // Takes a byte order mark away.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch (cause) {
    throw invalidFile(path, "is not UTF-8").causedBy(cause);
  }
}

// An empty line, a comment, or KEY=value, where a quoted value may go over several lines.
const line =
  /[ \t]*(?:(?:export[ \t]+)?[^\s=#"'`]+[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`|[^\s"'`#][^\r\n]*)?[ \t]*)?(?:#[^\r\n]*)?(?:\n|$)/y;

// Node skips a line that it does not understand, and with it a setting that somebody relies on.
function parse(path: string, text: string): Record<string, string> {
  if (text.includes("\0")) throw invalidFile(path, "holds a NUL character");
  line.lastIndex = 0;
  for (let start = 0; start < text.length; start = line.lastIndex) {
    if (!line.test(text)) {
      const number = text.slice(0, start).split("\n").length;
      throw invalidFile(path, `has no KEY=value in line ${number}, or a quote that is not closed`);
    }
  }
  return parseEnv(text) as Record<string, string>;
}
