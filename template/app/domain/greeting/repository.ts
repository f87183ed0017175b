import { Row, sql } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Greeting } from "./entity.ts";

const row = Row.record({ id: Row.uuid, text: Row.text, created_at: Row.timestamp, updated_at: Row.timestamp });
const columns = sql.columns(row);

export const all = (): Promise<readonly Greeting[]> =>
  database.collect(sql.row(row)`select ${columns} from greetings order by created_at, id`);

export async function insert(greeting: Greeting): Promise<void> {
  await database.exec(sql`insert into greetings (${columns}) values
    (${greeting.id}, ${greeting.text}, ${greeting.created_at}, ${greeting.updated_at})`);
}
