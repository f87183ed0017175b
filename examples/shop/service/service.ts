// Creates the services of the application and chooses their backends.
import { Account, Email, Migration, PasswordReset, Queue, Storage, Token, User, Webhook } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import * as Idempotency from "limmat/idempotency";
import { smtp } from "limmat/email/smtp";
import { migrations } from "../database/migration.ts";
import { products } from "../app/domain/product/repository.ts";
import { orders } from "../app/domain/order/repository.ts";
import { orderLines } from "../app/domain/order-line/repository.ts";
import { employees } from "../app/domain/employee/repository.ts";

export const database = sqlite();
export const migration = Migration.service({
  database,
  migrations,
  tables: () => [products, orders, orderLines, employees],
});
export const idempotency = Idempotency.sql({ database });
export const queue = Queue.sql({ database });
export const email = Email.queued({ queue, email: smtp() });
export const token = Token.sql({ database });
export const user = User.service({ database });
export const account = Account.service({ database, token, user, email });
export const passwordReset = PasswordReset.service({ token, user, email });
export const storage = Storage.sql({ database });
export const webhook = Webhook.receiver({ database });
