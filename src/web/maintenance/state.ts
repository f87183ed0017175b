import { hash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseJson } from "../../core/index.ts";
import { Schema } from "../../schema/index.ts";
import { maintenanceFile } from "../application/configuration.ts";
import { isMissingFileError } from "../../http/message/index.ts";

/** Maintenance of the site, as its file describes it. */
export interface Maintenance {
  /** Text for visitors. Default: the text of the status 503. */
  readonly message: string | undefined;
  readonly retryAfterSeconds: number;
  /** SHA-256 of the secret path that lets a visitor in; `undefined` lets nobody in. */
  readonly secretHash: string | undefined;
}

const schema: Schema.RecordSchema<Maintenance> = Schema.record({
  message: Schema.optional(Schema.text()),
  retryAfterSeconds: Schema.int({ default: 60, min: 0 }),
  secretHash: Schema.optional(Schema.string()),
});

/** Maintenance of a file that was written by hand. */
export const defaultMaintenance: Maintenance = { message: undefined, retryAfterSeconds: 60, secretHash: undefined };

/**
 * Reads the maintenance of the site; `undefined` without one. The file alone counts, so that it works while the database
 * does not. A file that is empty or malformed has the defaults.
 */
export function readMaintenance(): Maintenance | undefined {
  // It needs no file descriptor: a process without free ones is not in maintenance.
  if (!existsSync(maintenanceFile())) return undefined;
  try {
    return schema.decodeJson(parseJson(readFileSync(maintenanceFile(), "utf8"))).value ?? defaultMaintenance;
  } catch (error) {
    return isMissingFileError(error) ? undefined : defaultMaintenance;
  }
}

/** Begins the maintenance. Processes that read the file see all of it or nothing. */
export function writeMaintenance(maintenance: Maintenance): void {
  const file = maintenanceFile();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(maintenance));
  renameSync(`${file}.new`, file);
}

/** Returns the hash of a secret path. */
export const hashOf = (secret: string): string => hash("sha256", secret);
