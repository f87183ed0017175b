import { prepareSearchRequest, Row, runSearchRequest, type SearchParameters, sql } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Todo } from "./entity.ts";

const todoRow = Row.record({
  id: Row.uuid,
  title: Row.text,
  notes: Row.text,
  done: Row.bool,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
});

const columns = sql.columns(todoRow);

const searchRequest = prepareSearchRequest({
  from: sql`todos`,
  row: todoRow,
  filter: ["title", "notes"],
  sort: "created_at",
});

export const find = (id: string): Promise<Todo | undefined> =>
  database.findOpt(sql.row(todoRow)`select ${columns} from todos where id = ${id}`);

export const search = (parameters: SearchParameters): Promise<readonly [items: readonly Todo[], total: number]> =>
  runSearchRequest(database, searchRequest, parameters);

export const insert = (todo: Todo): Promise<number> =>
  database.exec(sql`insert into todos (${columns})
    values (${todo.id}, ${todo.title}, ${todo.notes}, ${todo.done}, ${todo.created_at}, ${todo.updated_at})`);

export const update = (todo: Todo): Promise<number> =>
  database.exec(sql`update todos
    set title = ${todo.title}, notes = ${todo.notes}, done = ${todo.done}, updated_at = ${todo.updated_at}
    where id = ${todo.id}`);

export const remove = (id: string): Promise<number> => database.exec(sql`delete from todos where id = ${id}`);
