import assert from "node:assert/strict";
import type { Context } from "limmat";
import { type Visitor, visitor } from "limmat/testing";
import { actingUser } from "../app/domain/acting-user.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { password } from "./factory/team.ts";

/** Confirms the address of the user of a context, and returns a visitor who is logged in, with the token of a form. */
export async function loggedIn(options: { readonly ctx?: Context }): Promise<Visitor> {
  const { email } = await user.confirm(actingUser(options));
  const device = visitor(app);
  await device.get("/login");
  assert.equal((await device.post("/login", { email, password })).status, 303);
  await device.get("/teams/new");
  return device;
}
