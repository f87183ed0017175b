import assert from "node:assert/strict";
import type { Context } from "limmat";
import * as OrderLine from "../app/domain/order-line/order-line.ts";
import * as OrderLineFactory from "./factory/order-line.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Permissions for an order line that another user has created. */
const permissions = {
  employee: { see: true, change: true },
  creator: { see: true, change: false },
  stranger: { see: false, change: false },
} as const;

for (const [role, { see, change }] of Object.entries(permissions)) {
  test(`${role}: ${see ? "sees" : "does not see"} an order line, ${change ? "changes" : "does not change"} it`, async () => {
    const context = await OrderLineFactory.context();
    const item = await OrderLineFactory.make({}, context);
    const options = await optionsOf(role, item, context);
    assert.equal((await OrderLine.find(item.id, options)) !== undefined, see);
    assert.equal((await OrderLine.search({}, options))[1], see ? 1 : 0);
    const input = await OrderLineFactory.otherInput();
    const changes = [() => OrderLine.update(item.id, input, options), () => OrderLine.delete(item, options)];
    for (const act of changes) {
      if (change) assert.ok((await act()).ok);
      else await assert.rejects(act, { code: see ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW" });
    }
  });
}

test("only users who see the order add an order line", async () => {
  const context = await OrderLineFactory.context();
  const input = await OrderLineFactory.input();
  const stranger = { ...context, ctx: await OrderLineFactory.newUserContext() };
  await assert.rejects(OrderLine.insert(input, stranger), { code: "E_POLICY_NO_ROW" });
  assert.ok((await OrderLine.insert(input, context)).ok);
});

test("nothing is permitted without a user", async () => {
  const { id } = await OrderLineFactory.make();
  await assert.rejects(OrderLine.find(id), /need the user/);
});

async function optionsOf(
  role: string,
  _: OrderLine.OrderLine,
  context: OrderLine.ListOptions,
): Promise<OrderLine.ListOptions> {
  const ctx: Record<string, () => Context | undefined | Promise<Context | undefined>> = {
    employee: async () => (await OrderLineFactory.employeeContext()).ctx,
    creator: () => context.ctx,
    stranger: () => OrderLineFactory.newUserContext(),
  };
  return { ...context, ctx: (await ctx[role]?.()) ?? [] };
}
