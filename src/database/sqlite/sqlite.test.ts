import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { databaseContract } from "../../testing/database/contract.ts";
import { sqlite } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-sqlite-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const url = join(folder, "contract.sqlite");
databaseContract("sqlite", { make: (options) => sqlite({ url, synchronous: "normal", ...options }), url: () => url });
