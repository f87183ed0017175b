import type { SqlPart } from "../../../database/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import { Schema } from "../../../schema/index.ts";
import { make, type RelatedTable, type TableInternals } from "../../../table/index.ts";
import type { Request, Rest } from "../../../web/index.ts";

/** Policy of a table that is asked with a request, as `Policy.access` returns it. */
export interface AdminPolicy<Row> extends Rest.ResourcePolicy<Row> {
  where(request: Request): Promise<SqlPart>;
}

/** Options of `Admin.table`. */
export interface AdminTableOptions<Row> {
  /** Texts of the table, such as a group of a catalogue: `text.issue`. */
  readonly texts: Rest.ResourceTexts;
  /** Returns the name of a row: its heading, and the text of links to it. */
  readonly labelOf: (row: Row) => string;
  /** Columns of the list. Default: the first short fields, the first references, and the time of the creation. */
  readonly columns?: readonly (keyof Row & string)[];
  /** Values on the page of a row. Default: the fields of the schema, references, and timestamps. */
  readonly facts?: readonly (keyof Row & string)[];
  /** Changes that the pages offer. Default: both. An empty list only shows rows. */
  readonly only?: readonly ("edit" | "destroy")[];
  /** Policy that restricts administrators further. Default: whoever passes the guard sees and changes all rows. */
  readonly policy?: AdminPolicy<Row>;
}

/** Table that has pages for administrators. Created by `Admin.table` and `Admin.users`. */
export interface AdminTable {
  readonly table: RelatedTable;
  readonly options: AdminTableOptions<TableInternals.AnyRow>;
}

/**
 * Describes the pages of a table. They show and change the fields of its schema, except sensitive and encrypted ones. A change is
 * checked by the schema and by the constraints of the table, not by the service of a model.
 *
 * @example
 * export const issueAdmin = Admin.table(issues, { texts: { one: "issue", many: "issues" }, labelOf: ({ title }) => title });
 */
export function table<Row>(described: RelatedTable<Row>, options: AdminTableOptions<NoInfer<Row>>): AdminTable {
  return Object.freeze({
    table: described,
    options: options as unknown as AdminTableOptions<TableInternals.AnyRow>,
  });
}

// The service of the users writes them: here is only what pages show.
const userTable = make("user_users", {
  schema: Schema.record({
    email: Schema.string(),
    name: Schema.optional(Schema.string()),
    status: Schema.oneOf(["active", "inactive"]),
    admin: Schema.bool(),
  }),
  timestamps: true,
  search: { filter: ["email"], filterBy: ["status", "admin"], sortBy: ["created_at", "email"] },
});

const textsOfUsers = (): LanguageInternals.ServiceTexts["admin"]["userTexts"] =>
  LanguageInternals.frameworkTexts().services.admin.userTexts;

// Getters, so that each request reads the texts of its language.
const userTexts: Rest.ResourceTexts = {
  get one() {
    return textsOfUsers().one;
  },
  get many() {
    return textsOfUsers().many;
  },
  get fields() {
    return textsOfUsers().fields;
  },
  get choices() {
    return textsOfUsers().choices;
  },
};

/** Describes the pages of the users: lists and shows them. Accounts are changed by the user service. */
export const users = (): AdminTable => table(userTable, { texts: userTexts, labelOf: ({ email }) => email, only: [] });
