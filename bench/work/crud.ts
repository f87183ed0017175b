import assert from "node:assert/strict";
import { requestBytes, type Visitor } from "../harness/http.ts";
import { todo } from "./data.mjs";
import { resetTodos, todoCount } from "./database.ts";
import { expectJson, type Work } from "./work.ts";

const json = { accept: "application/json", "content-type": "application/json" };

const itemOf = ({ id, title, done }: ReturnType<typeof todo>): object => ({ id, title, done });

/** Item with an id of the client, outside of the rows that are read. */
const extra = (n: number): { readonly path: string; readonly body: string } => ({
  path: `/items/10000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  body: JSON.stringify({ title: `Item "${n}"`, done: n % 2 === 0 }),
});

async function checkItems(visitor: Visitor): Promise<void> {
  expectJson(await visitor.ask(`/items/${todo(7).id}`), itemOf(todo(7)));
  const newest = Array.from({ length: 20 }, (_, index) => itemOf(todo(todoCount - index)));
  expectJson(await visitor.ask("/items?limit=20"), newest);
  const { path, body } = extra(1);
  assert.equal((await visitor.ask(path)).status, 404);
  for (const sent of [JSON.stringify({ title: "First", done: true }), body]) {
    const put = await visitor.ask(path, { method: "PUT", headers: json, body: sent });
    assert.equal(put.status, 204, put.body.slice(0, 1000));
  }
  expectJson(await visitor.ask(path), { id: path.slice("/items/".length), ...(JSON.parse(body) as object) });
  for (const invalid of ['{"title":"","done":true}', '{"done":true}', `{"title":"${"x".repeat(201)}","done":true}`]) {
    const refused = await visitor.ask(path, { method: "PUT", headers: json, body: invalid });
    assert.match(String(refused.status), /^4(?:00|22)$/);
  }
  assert.equal((await visitor.ask(path, { method: "DELETE" })).status, 204);
  assert.equal((await visitor.ask(path, { method: "DELETE" })).status, 204);
  assert.equal((await visitor.ask(path)).status, 404);
}

/** Benchmark of a JSON resource: of 20 requests, 12 read a row, 4 list 20 rows, 3 store one and 1 deletes one. */
export const crudWork: Work = {
  group: "data",
  name: "crud",
  title: "JSON resource: 60 % one row, 20 % lists of 20 rows, 15 % stores, 5 % deletions",
  application: "crud",
  status: [200, 204],
  reset: () => resetTodos("postgresql"),
  async prepare(visitor, port) {
    await checkItems(visitor);
    return Array.from({ length: 2_000 }, (_, n) => {
      const { path, body } = extra(n);
      if (n % 20 < 12) return requestBytes(port, `/items/${todo(1 + (n % todoCount)).id}`, { headers: json });
      if (n % 20 < 16) return requestBytes(port, "/items?limit=20", { headers: json });
      if (n % 20 < 19) return requestBytes(port, path, { method: "PUT", headers: json, body });
      return requestBytes(port, extra(n - 1).path, { method: "DELETE", headers: { accept: json.accept } });
    });
  },
};
