import assert from "node:assert/strict";
import { App, User, Web } from "limmat";
import { runCommand } from "limmat/testing";
import { roleChoices } from "../app/domain/employee/employee.ts";
import { roleOfUser } from "../app/domain/employee/role.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { requireEmployee } from "../web/middleware/require-employee.ts";
import { make, password } from "./factory/employee.ts";
import { test, useServices } from "./setup.ts";

useServices();

const command = "employee.appoint";
const person = { email: "ada@example.com", password };
const [first, second] = roleChoices;

test("the command gives a user a role, changes it, and takes it away", async () => {
  const { id } = await user.createUser(person);
  for (const role of [first, second, "none"]) {
    assert.equal((await runCommand(app, command, person.email, role)).code, 0);
    assert.equal((await roleOfUser(id)) ?? "none", role);
  }
});

test("the command shows its usage for an unknown role", async () => {
  const { code, stderr } = await runCommand(app, command, person.email, "nobody");
  assert.equal(code, 2);
  assert.match(stderr, /appoint <email>/);
});

test("routes for employees refuse other users", async () => {
  const { id } = await user.createUser(person);
  const users = [(await make({ role: first })).user_id, (await make({ role: second })).user_id, id];
  const statuses = (guard: Web.Middleware): Promise<readonly number[]> => {
    const middlewares = [User.Web.userFromToken(user, (token) => token), guard];
    const router = Web.choose([Web.get("/", () => Web.Response.empty(204))], { middlewares });
    const guarded = App.create({ services: [Web.Http.service({ router })] });
    const request = (token: string) => guarded.request("/", { headers: { authorization: `Bearer ${token}` } });
    return Promise.all(users.map(async (token) => (await request(token)).status));
  };
  assert.deepEqual(await statuses(requireEmployee(first)), [204, 403, 403]);
  assert.deepEqual(await statuses(requireEmployee()), [204, 204, 403]);
});
