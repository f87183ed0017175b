// Who may do what with orders.
import { sql, type SqlPart } from "limmat/database";
import { Policy } from "limmat/policy";
import { employees } from "../employee/repository.ts";
import { orders } from "./repository.ts";

const own = (user: Policy.User) => ({ owner_id: user.id });

const isEmployee = (user: Policy.User): SqlPart =>
  sql`exists (select 1 from employees where ${employees.where({ user_id: user.id })})`;

export const policy = Policy.make(
  orders,
  (is) => ({ see: is.any(own, isEmployee), change: isEmployee, administer: isEmployee }),
  { reasons: { change: () => "Only employees may change or delete this order." } },
);
