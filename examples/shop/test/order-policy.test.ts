import assert from "node:assert/strict";
import type { Context } from "limmat";
import * as Order from "../app/domain/order/order.ts";
import * as OrderFactory from "./factory/order.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Permissions for an order that another user has created. */
const permissions = {
  employee: { see: true, change: true },
  creator: { see: true, change: false },
  stranger: { see: false, change: false },
} as const;

for (const [role, { see, change }] of Object.entries(permissions)) {
  test(`${role}: ${see ? "sees" : "does not see"} an order, ${change ? "changes" : "does not change"} it`, async () => {
    const context = await OrderFactory.context();
    const item = await OrderFactory.make({}, context);
    const options = await optionsOf(role, item, context);
    assert.equal((await Order.find(item.id, options)) !== undefined, see);
    assert.equal((await Order.search({}, options))[1], see ? 1 : 0);
    const input = await OrderFactory.otherInput();
    const changes = [() => Order.update(item.id, input, options), () => Order.delete(item, options)];
    for (const act of changes) {
      if (change) assert.ok((await act()).ok);
      else await assert.rejects(act, { code: see ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW" });
    }
  });
}

test("nothing is permitted without a user", async () => {
  const { id } = await OrderFactory.make();
  await assert.rejects(Order.find(id), /need the user/);
});

async function optionsOf(role: string, _: Order.Order, context: Order.Options): Promise<Order.Options> {
  const ctx: Record<string, () => Context | undefined | Promise<Context | undefined>> = {
    employee: async () => (await OrderFactory.employeeContext()).ctx,
    creator: () => context.ctx,
    stranger: () => OrderFactory.newUserContext(),
  };
  return { ...context, ctx: (await ctx[role]?.()) ?? [] };
}
