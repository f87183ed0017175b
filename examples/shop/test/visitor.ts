import assert from "node:assert/strict";
import { Random } from "limmat";
import { type Visitor, visitor } from "limmat/testing";
import { appoint, type Role } from "../app/domain/employee/role.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";

/** Logs a visitor in as a new user, of whom the shop knows a role or nothing. */
export async function logIn(
  role?: Role,
  device: Visitor = visitor(app),
): Promise<Visitor & { readonly email: string }> {
  const person = { email: `${Random.hex(8)}@example.com`, password: "a meadow of cats" };
  const { id } = await user.createUser(person);
  await appoint(id, role);
  await device.get("/login");
  assert.equal((await device.post("/login", person)).status, 303);
  await device.get("/account");
  return Object.assign(device, { email: person.email });
}
