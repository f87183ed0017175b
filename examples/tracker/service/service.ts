// Creates the services of the application and chooses their backends.
import { Account, Email, Migration, PasswordReset, Queue, Storage, Token, User } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import * as Idempotency from "limmat/idempotency";
import { smtp } from "limmat/email/smtp";
import { migrations } from "../database/migration.ts";
import { teamMembers, teams } from "../app/domain/team/repository.ts";
import { projects } from "../app/domain/project/repository.ts";
import { labels } from "../app/domain/label/repository.ts";
import { issues } from "../app/domain/issue/repository.ts";
import { comments } from "../app/domain/comment/repository.ts";
import { activities } from "../app/domain/activity/repository.ts";
import { attachments } from "../app/domain/attachment/repository.ts";

export const database = sqlite();
export const migration = Migration.service({
  database,
  migrations,
  tables: () => [teams, teamMembers, projects, labels, issues, comments, activities, attachments],
});
export const storage = Storage.sql({ database });
export const idempotency = Idempotency.sql({ database });
export const queue = Queue.sql({ database });
export const email = Email.queued({ queue, email: smtp() });
export const token = Token.sql({ database });
export const user = User.service({ database });
export const account = Account.service({ database, token, user, email });
export const passwordReset = PasswordReset.service({ token, user, email });
