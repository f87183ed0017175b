import type { Migration } from "limmat";
import { teams } from "./migration/teams.ts";
import { projects } from "./migration/projects.ts";
import { labels } from "./migration/labels.ts";
import { issues } from "./migration/issues.ts";
import { comments } from "./migration/comments.ts";
import { activities } from "./migration/activities.ts";
import { attachments } from "./migration/attachments.ts";

/** All migrations, in the order of execution. */
export const migrations: readonly Migration.Migration[] = [
  teams,
  projects,
  labels,
  issues,
  comments,
  activities,
  attachments,
];
