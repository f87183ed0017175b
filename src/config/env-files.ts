import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../core/index.ts";
import { invalidFile } from "./errors.ts";

/** A value, and its source: `Configuration.store`, `process environment` or the env file with the line, such as `.env:3`. */
export interface SourcedValue {
  readonly value: string;
  readonly source: string;
}

/** Content of an env file. */
export interface EnvFile {
  readonly path: string;
  readonly values: ReadonlyMap<string, SourcedValue>;
}

/**
 * Reads the existing env files of a folder, in the order of their precedence.
 *
 * @throws E_CONFIGURATION_FILE when a file cannot be read, or has a line that is no assignment.
 */
export function readEnvFiles(folder: string, environment: Environment): readonly EnvFile[] {
  const names = [
    `.env.${environment}.local`,
    `.env.${environment}`,
    // Tests do not depend on the settings of one machine.
    ...(environment === "test" ? [] : [".env.local"]),
    ".env",
  ];
  return names.flatMap((name) => {
    const path = join(folder, name);
    const text = readText(path);
    return text === undefined ? [] : [{ path, values: parseEnvFile(name, path, text) }];
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
    // TextDecoder strips a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch (cause) {
    throw invalidFile(path, "is not UTF-8").causedBy(cause);
  }
}

const keyPattern = String.raw`(?:export[ \t]+)?(?<key>[^\s=#"'\x60]+)`;
const quotedPattern = String.raw`"(?<expanded>[^"]*)"|'(?<single>[^']*)'|\x60(?<back>[^\x60]*)\x60`;
const unquotedPattern = String.raw`(?<unquoted>[^\s"'\x60#](?:[^\s#]|[ \t]+(?=[^\s#]))*)`;
// A comment begins the line or follows a blank.
const commentPattern = String.raw`(?<!\S)#[^\r\n]*`;
const linePattern = new RegExp(
  String.raw`[ \t]*(?:${keyPattern}[ \t]*=(?:[ \t]*(?:${quotedPattern}|${unquotedPattern}))?)?[ \t]*(?:${commentPattern})?(?:\n|$)`,
  "y",
);

// node:util's parseEnv silently loses settings: it skips invalid lines, cuts an unquoted value at every #, and reads the
// next line as the value when a blank follows the equals sign.
function parseEnvFile(name: string, path: string, text: string): EnvFile["values"] {
  if (text.includes("\0")) throw invalidFile(path, "contains a NUL character");
  const values = new Map<string, SourcedValue>();
  let line = 1;
  linePattern.lastIndex = 0;
  while (linePattern.lastIndex < text.length) {
    const match = linePattern.exec(text);
    if (match?.groups === undefined) {
      throw invalidFile(
        path,
        `has an invalid line ${line}: write KEY=value, close each quote, and quote a value with #`,
      );
    }
    const { key, expanded, single, back, unquoted } = match.groups;
    const value = expanded?.replaceAll(String.raw`\n`, "\n") ?? single ?? back ?? unquoted ?? "";
    if (key !== undefined) values.set(key, { value, source: `${name}:${line}` });
    line += match[0].split("\n").length - 1;
  }
  return values;
}
