import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { bun } from "../bun.ts";
import { root } from "../sources.ts";
import { cheap } from "./fixture.ts";

const script = `
import { App, Migration, Password, User } from "./src/index.ts";
import { sqlite } from "./src/database/sqlite/index.ts";

const database = sqlite({ url: ":memory:" });
const users = User.service({ database });
const migration = Migration.service({ database, onPending: "run" });
const app = App.create({ services: [users, migration], reporters: [] });
await app.start();
const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
const heidi = await users.createUser({ email: "heidi@example.com", password: "a fine long password" });
const session = await users.startSession(heidi);
console.log(
  await Password.verify("password", reference),
  (await users.login("heidi@example.com", "a fine long password")).ok,
  (await users.login("heidi@example.com", "wrong")).ok,
  (await users.findBySessionOpt(session))?.email,
);
await app.stop();
`;

// Continuous integration has it, or fails.
const without = { skip: bun === undefined && process.env["CI"] === undefined && "there is no Bun here" };

test("users log in on Bun", without, async () => {
  const env = { ...process.env, ...cheap, FRAMEWORK_ENV: "test" };
  const { stdout } = await promisify(execFile)(bun ?? "", ["-e", script], { cwd: root, env });
  assert.equal(stdout.trim(), "true true false heidi@example.com");
});
