import { Configuration } from "limmat";
import type { OperationOptions } from "limmat/database";
import { text as texts } from "../../../language/language.ts";
import { email, user } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import type { Issue } from "./entity.ts";

/** Sends a mail to the assignee of an issue after the commit, unless this is the user who acts. */
export async function mailAssignee(
  { id, title, assignee_id }: Pick<Issue, "id" | "title" | "assignee_id">,
  options?: OperationOptions,
): Promise<void> {
  if (assignee_id === undefined || assignee_id === actingUser(options).id) return;
  const assignee = await user.findOpt(assignee_id, options);
  if (assignee?.confirmed !== true) return;
  const text = `${title}\n\n${Configuration.appUrl(`/issues/${id}`).href}`;
  await email.send({ recipient: assignee.email, subject: texts.issue.mail.subject, text }, options);
}
