import { type Database, type DatabaseOptions, Row, sql } from "limmat/database";
import type { Engine } from "../data.ts";
import type { Open } from "./contestant.ts";

const todoRow = Row.record({ id: Row.uuid, title: Row.text, done: Row.bool, created_at: Row.timestamp });
const numberRow = Row.record({ id: Row.int, number: Row.int, title: Row.text });

const services: Readonly<Record<Engine, (options: DatabaseOptions) => Promise<Database>>> = {
  postgresql: async (options) => (await import("limmat/database/postgresql")).postgresql(options),
  mariadb: async (options) => (await import("limmat/database/mariadb")).mariadb(options),
  sqlite: async (options) => (await import("limmat/database/sqlite")).sqlite(options),
};

/** Database service of limmat with its defaults. */
export const open: Open = async (url, engine) => {
  const database = await services[engine]({ url });
  await database.start({ services: [] });
  return {
    find: (id) => database.findOpt(sql.row(todoRow)`select ${sql.columns(todoRow)} from todos where id = ${id}`),
    findNumber: (id) =>
      database.findOpt(sql.row(numberRow)`select ${sql.columns(numberRow)} from numbers where id = ${id}`),
    collect: () => database.collect(sql.row(todoRow)`select ${sql.columns(todoRow)} from todos`),
    collectNumbers: () => database.collect(sql.row(numberRow)`select ${sql.columns(numberRow)} from numbers`),
    stream: async (onRow) => {
      const rows = sql.row(todoRow)`select a.id, a.title, a.done, a.created_at from todos a cross join todos b`;
      for await (const _row of database.stream(rows)) onRow();
    },
    close: () => database.stop?.(),
  };
};
