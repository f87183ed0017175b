import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as runner from "node:test";
import { hasAllRounds } from "../../../test/rounds.ts";
import { databaseContract } from "limmat-contracts";
import type { DatabaseOptions } from "../settings.ts";
import { sqlite } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-sqlite-"));
runner.after(() => rmSync(folder, { recursive: true, force: true }));

const url = join(folder, "contract.sqlite");
const subject = {
  make: (options: DatabaseOptions = {}) => sqlite({ url, synchronous: "normal", ...options }),
  url: () => url,
  isShort: !hasAllRounds,
};
databaseContract("sqlite", subject, runner);
