import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { employees, relations } from "./repository.ts";

export const roleChoices = ["packer", "manager"] as const;

/** Input of forms and of the API. */
export const schema = Schema.record({
  user_id: Schema.uuid(),
  role: Schema.oneOf(roleChoices),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored employee. */
export type Employee = Table.Infer<typeof employees, typeof relations>;

/** Returns the text that titles and links show for an employee. */
export function labelOf(employee: Pick<Employee, "id">): string {
  return employee.id;
}
