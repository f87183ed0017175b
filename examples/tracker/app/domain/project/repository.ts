import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { teams } from "../team/repository.ts";
import { schema } from "./entity.ts";

/** Table of the projects. */
export const projects = Table.make("projects", {
  schema,
  columns: { team_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    team: () => Table.belongsTo(teams, { onDelete: "cascade" }),
  },
  search: {
    filter: ["name", "description"],
    sortBy: ["created_at", "name"],
  },
});
