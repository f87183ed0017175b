import { readFileSync } from "node:fs";
import { join } from "node:path";
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
    return text === undefined ? [] : [{ name, path, values: parse(path, text) }];
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

const key = String.raw`(?:export[ \t]+)?(?<key>[^\s=#"'\x60]+)`;
const quoted = String.raw`"(?<expanded>[^"]*)"|'(?<single>[^']*)'|\x60(?<back>[^\x60]*)\x60`;
const bare = String.raw`(?<bare>[^\s"'\x60#](?:[^\s#]|[ \t]+(?=[^\s#]))*)`;
// A comment begins the line or follows a blank.
const comment = String.raw`(?<!\S)#[^\r\n]*`;
const line = new RegExp(
  String.raw`[ \t]*(?:${key}[ \t]*=(?:[ \t]*(?:${quoted}|${bare}))?)?[ \t]*(?:${comment})?(?:\n|$)`,
  "y",
);

// Not node:util's parseEnv: that skips lines which it does not understand, cuts an unquoted value at every #, and takes
// the next line for the value when a blank follows the equals sign. Each loses a setting that somebody relies on.
function parse(path: string, text: string): ReadonlyMap<string, string> {
  if (text.includes("\0")) throw invalidFile(path, "holds a NUL character");
  const values = new Map<string, string>();
  line.lastIndex = 0;
  for (let start = 0; start < text.length; start = line.lastIndex) {
    const parts = line.exec(text)?.groups;
    if (parts === undefined) {
      const number = text.slice(0, start).split("\n").length;
      throw invalidFile(path, `has in line ${number} no KEY=value, an open quote, or a # that needs quotes around it`);
    }
    if (parts["key"] === undefined) continue;
    const expanded = parts["expanded"]?.replaceAll(String.raw`\n`, "\n");
    values.set(parts["key"], expanded ?? parts["single"] ?? parts["back"] ?? parts["bare"] ?? "");
  }
  return values;
}
