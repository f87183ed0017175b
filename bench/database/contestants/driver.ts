import { DatabaseSync } from "node:sqlite";
import * as mariadb from "mariadb";
import { Client } from "pg";
import type { Engine } from "../data.ts";
import { columns, type Contestant, numberColumns, type Open } from "./contestant.ts";

/** Opens the driver of each database, used directly in its fastest way. */
export const open: Open = (url, engine) => drivers[engine](url);

const drivers: Readonly<Record<Engine, (url: string) => Promise<Contestant>>> = {
  async postgresql(connectionString) {
    const client = new Client({ connectionString, pipeline: true });
    await client.connect();
    const findText = `select ${columns} from todos where id = $1`;
    const findNumberText = `select ${numberColumns} from numbers where id = $1`;
    return {
      find: async (id) => (await client.query({ name: "find", text: findText, values: [id] })).rows[0] as unknown,
      findNumber: async (id) =>
        (await client.query({ name: "find-number", text: findNumberText, values: [id] })).rows[0] as unknown,
      collect: async () => (await client.query({ name: "collect", text: `select ${columns} from todos` })).rows,
      collectNumbers: async () =>
        (await client.query({ name: "collect-numbers", text: `select ${numberColumns} from numbers` })).rows,
      close: () => client.end(),
    };
  },

  async mariadb(url) {
    const connection = await mariadb.createConnection(url);
    const findText = `select ${columns} from todos where id = ?`;
    const findNumberText = `select ${numberColumns} from numbers where id = ?`;
    return {
      find: async (id) => (await connection.execute<unknown[]>(findText, [id]))[0],
      findNumber: async (id) => (await connection.execute<unknown[]>(findNumberText, [id]))[0],
      collect: () => connection.execute(`select ${columns} from todos`),
      collectNumbers: () => connection.execute(`select ${numberColumns} from numbers`),
      close: () => connection.end(),
    };
  },

  sqlite(url) {
    const database = new DatabaseSync(url, { readOnly: true });
    const find = database.prepare(`select ${columns} from todos where id = ?`);
    const findNumber = database.prepare(`select ${numberColumns} from numbers where id = ?`);
    const collect = database.prepare(`select ${columns} from todos`);
    const collectNumbers = database.prepare(`select ${numberColumns} from numbers`);
    return Promise.resolve({
      find: (id) => find.get(id),
      findNumber: (id) => findNumber.get(id),
      collect: () => collect.all(),
      collectNumbers: () => collectNumbers.all(),
      close: () => database.close(),
    });
  },
};
