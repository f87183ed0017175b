import assert from "node:assert/strict";
import { Random, type User } from "limmat";
import { type Visitor, visitor } from "limmat/testing";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";

/** Returns a visitor who is logged in as a new user, by default an administrator. */
export async function loggedIn({ admin = true } = {}): Promise<Visitor & { readonly user: User.User }> {
  const email = `${Random.hex(8)}@example.com`;
  const password = Random.hex(16);
  const created = await user.setAdmin(await user.createUser({ email, password }), admin);
  const device = visitor(app);
  await device.get("/login");
  assert.equal((await device.post("/login", { email, password })).status, 303);
  return Object.assign(device, { user: created });
}
