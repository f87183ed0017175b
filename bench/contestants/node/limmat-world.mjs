import { Web } from "limmat";
import { Row, sql } from "limmat/database";
import { html } from "limmat/html";

const worldRow = Row.record({ id: Row.int, randomnumber: Row.int });
const fortuneRow = Row.record({ id: Row.int, message: Row.text });

const random = () => 1 + Math.floor(Math.random() * 10_000);

const page = (fortunes) =>
  html`<!doctype html>
    <html>
      <head>
        <title>Fortunes</title>
      </head>
      <body>
        <table>
          <tr>
            <th>id</th>
            <th>message</th>
          </tr>
          ${fortunes.map(
            ({ id, message }) =>
              html`<tr>
                <td>${id}</td>
                <td>${message}</td>
              </tr>`,
          )}
        </table>
      </body>
    </html>`;

export function world(database) {
  const find = async () => {
    const row = await database.find(sql.row(worldRow)`select id, randomnumber from world where id = ${random()}`);
    return { id: row.id, randomNumber: row.randomnumber };
  };
  const findMany = ({ query }) =>
    Promise.all(
      Array.from({ length: Math.min(Math.max(Number.parseInt(query.get("queries"), 10) || 1, 1), 500) }, find),
    );
  const routes = [
    Web.get("/db", async () => Web.Response.json(await find())),
    Web.get("/queries", async (request) => Web.Response.json(await findMany(request))),
    Web.get("/updates", async (request) => {
      const worlds = await findMany(request);
      for (const found of worlds) found.randomNumber = random();
      const sorted = worlds.toSorted((a, b) => a.id - b.id);
      await database.exec(sql`update world set randomnumber = n
        from json_to_recordset(${sql.json(sorted.map((found) => ({ i: found.id, n: found.randomNumber })))}) as t (i integer, n integer)
        where id = i`);
      return Web.Response.json(worlds);
    }),
    Web.get("/fortunes", async () => {
      const stored = await database.collect(sql.row(fortuneRow)`select id, message from fortune`);
      const fortunes = [...stored, { id: 0, message: "Additional fortune added at request time." }];
      fortunes.sort((a, b) => (a.message < b.message ? -1 : 1));
      return Web.Response.html(page(fortunes));
    }),
  ];
  return { routes, services: [database] };
}
