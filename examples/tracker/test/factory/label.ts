import { Random } from "limmat";
import { type Input, insert, type Label } from "../../app/domain/label/label.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    name: `First name ${Random.hex(8)}`,
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    name: "Second name",
  };
}

/** Stores a label. */
export async function make(changes: Partial<Input> = {}): Promise<Label> {
  const result = await insert(await input(changes));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
