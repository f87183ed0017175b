import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Employee from "../app/domain/employee/employee.ts";
import * as EmployeeFactory from "./factory/employee.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts an employee and finds it", async () => {
  const context = await EmployeeFactory.context();
  const input = await EmployeeFactory.input();
  const result = await Employee.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Employee.find(result.value.id, context), result.value);
  assert.equal(await Employee.find(unknownId, context), undefined);
});

test("updates an employee", async () => {
  const context = await EmployeeFactory.context();
  const employee = await EmployeeFactory.make({}, context);
  const input = await EmployeeFactory.otherInput();
  const result = await Employee.update(employee.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Employee.find(employee.id, context), result.value);
  assert.equal((await Employee.update(unknownId, input, context)).ok, false);
});

test("does not overwrite a change that came first", async () => {
  const context = await EmployeeFactory.context();
  const { id, version } = await EmployeeFactory.make({}, context);
  const input = await EmployeeFactory.otherInput();
  assert.equal((await Employee.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(Employee.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes an employee", async () => {
  const context = await EmployeeFactory.context();
  const employee = await EmployeeFactory.make({}, context);
  assert.equal((await Employee.delete(employee, context)).ok, true);
  assert.equal(await Employee.find(employee.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await EmployeeFactory.context();
  const make = () => EmployeeFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Employee.search({ limit: 2 }, context);
  const [second, sameTotal] = await Employee.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Employee.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Employee.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("refuses invalid input", () => {
  const input = [["user_id", "none"]] as const;
  const { form, value } = Employee.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "user_id")[1], undefined);
});

test("refuses a second employee with the same user", async () => {
  const context = await EmployeeFactory.context();
  const { user_id: aValue } = await EmployeeFactory.make({}, context);
  const input = { ...(await EmployeeFactory.input()), user_id: aValue };
  const result = await Employee.insert(input, context);
  assert.ok(!result.ok);
  assert.deepEqual(result.error, { user_id: "This user is taken" });
});

test("offers other users to administrators only", async () => {
  const context = await EmployeeFactory.context();
  const input = await EmployeeFactory.input();
  const ctx = await EmployeeFactory.newUserContext({ isAdmin: false });
  const result = await Employee.insert(input, { ...context, ctx });
  const errors = { user_id: "Please choose from the list" };
  assert.deepEqual(result.ok || result.error, errors);
  assert.equal((await Employee.offeredUsers({ ctx })).length, 1);
  assert.ok((await Employee.insert(input, context)).ok);
});
