import { Random } from "limmat";
import { type Input, insert, type Product } from "../../app/domain/product/product.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    name: `First name ${Random.hex(8)}`,
    description: "First description",
    price: "12.50",
    stock: 7,
    category: "kitchen",
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    name: "Second name",
    description: "Second description",
    price: "99.90",
    stock: 42,
    category: "garden",
  };
}

/** Stores a product. */
export async function make(changes: Partial<Input> = {}): Promise<Product> {
  const result = await insert(await input(changes));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
