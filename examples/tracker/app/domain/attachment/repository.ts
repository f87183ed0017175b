import { Row, sql } from "limmat/database";
import { Table } from "limmat/table";
import { issues } from "../issue/repository.ts";
import { schema } from "./entity.ts";

/** Table of the attachments. */
export const attachments = Table.make("attachments", {
  schema,
  columns: { issue_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    issue: () => Table.belongsTo(issues, { onDelete: "cascade" }),
  },
  search: {
    filter: ["name"],
    sortBy: ["created_at", "name", "size"],
  },
});

/** Returns the attachments of each kind of thing, as a condition. */
export const attachmentsOf = {
  attachment: (id: string) => sql`id = ${id}`,
  issue: (id: string) => sql`issue_id = ${id}`,
  project: (id: string) => sql`issue_id in (select id from issues where project_id = ${id})`,
  team: (id: string) =>
    sql`issue_id in (select i.id from issues i join projects p on p.id = i.project_id where p.team_id = ${id})`,
};
