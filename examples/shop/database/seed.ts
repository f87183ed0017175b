import { appoint } from "../app/domain/employee/role.ts";
import * as Product from "../app/domain/product/product.ts";
import { user } from "../service/service.ts";

const products = [
  ["Moka pot", "For six cups, of aluminium.", "39.90", 12, "kitchen"],
  ["Bread knife", "A blade of 22 cm, with a handle of walnut.", "64.50", 5, "kitchen"],
  ["Pruning shears", "For branches of up to 2 cm.", "45.00", 0, "garden"],
  ["Desk lamp", "Warm light that can be dimmed.", "119.00", 3, "office"],
  ["Notebook", "192 dotted pages.", "18.50", 80, "office"],
] as const;

/** Creates products, and a manager of the shop, unless there are some. */
export async function demo(): Promise<void> {
  if ((await Product.search({ limit: 1 }))[1] > 0) return;
  for (const [name, description, price, stock, category] of products) {
    await Product.insert({ name, description, price, stock, category });
  }
  const manager = await user.createUser({ email: "ada@example.com", name: "Ada", password: "a demo of the shop" });
  await appoint(manager.id, "manager");
}
