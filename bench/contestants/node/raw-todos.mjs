// Todos table on the three databases, for the hand-written site.
import { mariadbDatabase, sqliteFile } from "../../work/data.mjs";

const select = (filter, sort, [pattern, limit, offset]) => `
select count(*) over () as total, t.id, t.title, t.done, t.created_at, t.updated_at from todos t
${filter === "" ? "" : `where t.title like ${pattern} escape '!'`}
order by t.created_at ${sort} limit ${limit} offset ${offset}`;

const pattern = (filter) => `%${filter.replace(/[!%_]/g, "!$&")}%`;

const result = (items) => [items, Number(items[0]?.total ?? 0)];

async function postgresql() {
  const { connect } = await import("./postgresql.mjs");
  const query = await connect();
  return {
    async search(filter, sort, limit, offset) {
      const values = filter === "" ? [limit, offset] : [limit, offset, pattern(filter)];
      return result(await query(`${filter === ""}${sort}`, select(filter, sort, ["$3", "$1", "$2"]), values));
    },
    insert: (title, done) => query("insert", "insert into todos (title, done) values ($1, $2)", [title, done]),
  };
}

const places = ["?", "?", "?"];

async function sqlite() {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(sqliteFile);
  const statements = new Map();
  const prepare = (text) => {
    let statement = statements.get(text);
    if (statement === undefined) statements.set(text, (statement = database.prepare(text)));
    return statement;
  };
  return {
    search(filter, sort, limit, offset) {
      const values = filter === "" ? [limit, offset] : [pattern(filter), limit, offset];
      const items = prepare(select(filter, sort, places)).all(...values);
      for (const item of items) item.created_at = new Date(`${item.created_at.replace(" ", "T")}Z`);
      return result(items);
    },
  };
}

async function mariadb() {
  const { createPool } = await import("mariadb");
  const pool = createPool({ ...mariadbDatabase, timezone: "Z" });
  return {
    async search(filter, sort, limit, offset) {
      const values = filter === "" ? [limit, offset] : [pattern(filter), limit, offset];
      return result(await pool.execute(select(filter, sort, places), values));
    },
  };
}

const stores = { postgresql, sqlite, mariadb };

/** Opens the table in one of the databases. */
export const openTodos = (name) => stores[name]();
