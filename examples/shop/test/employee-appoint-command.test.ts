import assert from "node:assert/strict";
import { runCommand } from "limmat/testing";
import { roleOfUser } from "../app/domain/employee/role.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("employee.appoint gives a role", async () => {
  const { id } = await user.createUser({ email: "ada@example.com", password: "a meadow of cats" });
  const result = await runCommand(app, "employee.appoint", "ada@example.com", "packer");
  assert.deepEqual(result, { code: 0, stdout: "ada@example.com is a packer.", stderr: "" });
  assert.equal(await roleOfUser(id), "packer");
});

test("employee.appoint shows its usage if the role is missing", async () => {
  const { code, stderr } = await runCommand(app, "employee.appoint", "ada@example.com");
  assert.equal(code, 2);
  assert.match(stderr, /employee\.appoint <email>/);
});
