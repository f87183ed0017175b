// Creates the services of the application and chooses their backends.
import { Account, Email, Migration, PasswordReset, Queue, Storage, Token, User } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import { smtp } from "limmat/email/smtp";
import { migrations } from "../database/migration.ts";

export const database = sqlite();
export const migration = Migration.service({ database, migrations });
export const storage = Storage.sql({ database });
export const queue = Queue.sql({ database });
export const email = Email.queued({ queue, email: smtp() });
export const token = Token.sql({ database });
export const user = User.service({ database });
export const account = Account.service({ database, token, user, email });
export const passwordReset = PasswordReset.service({ token, user, email });
