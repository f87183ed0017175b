// Todos table on the three databases, for the hand-written site.
import { mariadbDatabase, sqliteFile } from "../../work/data.mjs";

const select = (filter, sort, [pattern, limit, offset], { title = "title", escape = "" } = {}) => `
select count(*) over () as total, id, title, done, created_at, updated_at from todos
${filter === "" ? "" : `where ${title} like ${pattern} ${escape}`}
order by created_at ${sort} limit ${limit} offset ${offset}`;

const pattern = (filter) => `%${filter.replace(/[\\%_]/g, "\\$&")}%`;

const result = (items) => [items, Number(items[0]?.total ?? 0)];

// Cheaper than `ilike`, for the letters A to Z. The other databases ignore case anyway.
const ignoringCase = { title: 'lower(title collate "C")' };

async function postgresql() {
  const { connect } = await import("./postgresql.mjs");
  // A search takes milliseconds and would hold up the inserts after it.
  const [search, write] = await Promise.all([connect(8), connect(8)]);
  const statements = {};
  for (const sort of ["asc", "desc"])
    for (const filter of ["", "filtered"])
      statements[filter + sort] = { name: filter + sort, text: select(filter, sort, ["$3", "$1", "$2"], ignoringCase) };
  const insert = { name: "insert", text: "insert into todos (title, done) values ($1, $2)" };
  return {
    async search(filter, sort, limit, offset) {
      const values = [String(limit), String(offset)];
      const found =
        filter === ""
          ? await search(statements[sort], values)
          : await search(statements[`filtered${sort}`], [...values, pattern(filter.toLowerCase())]);
      const items = found.map(([, id, title, done]) => ({ id, title, done: done === "t" }));
      return [items, Number(found[0]?.[0] ?? 0)];
    },
    insert: (title, done) => write(insert, [title, done ? "t" : "f"]),
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
      return result(prepare(select(filter, sort, places, { escape: String.raw`escape '\'` })).all(...values));
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
