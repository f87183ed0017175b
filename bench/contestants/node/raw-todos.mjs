// The todos table on the three databases, for the hand-written site.
import { mariadb, sqliteFile } from "../../work/data.mjs";

const select = (filter, sort, [pattern, limit, offset]) => `
select count(*) over () as total, t.id, t.title, t.done, t.created_at, t.updated_at from todos t
${filter === "" ? "" : `where t.title like ${pattern}`}
order by t.created_at ${sort} limit ${limit} offset ${offset}`;

const insert = (title, done) => `insert into todos (title, done) values (${title}, ${done})`;

const pattern = (filter) => `%${filter.replace(/[\\%_]/g, "\\$&")}%`;

const result = (items) => [items, Number(items[0]?.total ?? 0)];

async function postgresql() {
  const { connect } = await import("./postgresql.mjs");
  const query = await connect();
  return {
    async search(filter, sort, limit, offset) {
      const values = filter === "" ? [limit, offset] : [limit, offset, pattern(filter)];
      return result(await query(`${filter === ""}${sort}`, select(filter, sort, ["$3", "$1", "$2"]), values));
    },
    insert: (title, done) => query("insert", insert("$1", "$2"), [title, done]),
  };
}

const stores = { postgresql };

export const openTodos = (name) => stores[name]();
