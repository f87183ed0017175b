import { Context } from "limmat";
import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Activity } from "./entity.ts";
import { activities } from "./repository.ts";

/** Records what the current user has done in a project. Runs in the transaction of the change. */
export async function record(
  event: Activity["event"],
  subject: string,
  project_id: string,
  options?: OperationOptions,
): Promise<void> {
  const actor_id = Context.get(options?.ctx, "user_id");
  await activities.insert(database, { event, subject, actor_id, project_id }, options);
}
