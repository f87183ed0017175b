// The fastest use of pg: named statements on two pipelined connections.
import { Client } from "pg";
import { database } from "../../work/data.mjs";

/** Connects and returns a function that runs a statement, given by name, text and values, and returns its rows. */
export async function connect() {
  const clients = [new Client({ ...database, pipeline: true }), new Client({ ...database, pipeline: true })];
  await Promise.all(clients.map((client) => client.connect()));
  let turn = 0;
  return async (name, text, values) => (await clients[turn++ & 1].query({ name, text, values })).rows;
}
