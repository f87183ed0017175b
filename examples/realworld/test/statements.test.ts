// The number of SQL statements of a request is independent of the number of results.
import assert from "node:assert/strict";
import { test } from "node:test";
import { capturedLog } from "limmat/testing";
import { guest, newUser, type ApiClient } from "./api.ts";

async function countStatements(client: ApiClient, path: string): Promise<number> {
  using log = capturedLog();
  assert.equal((await client.get(path)).status, 200);
  return log.entries.filter(({ source }) => source === "limmat.database").length;
}

test("a list runs one statement, and authentication two more", async () => {
  const [ada, bob] = [await newUser("ada"), await newUser("bob")];
  await ada.post("/profiles/bob/follow");
  for (const title of ["One", "Two", "Three"]) {
    const slug = await bob.publish(title, ["a", "b"]);
    await ada.post(`/articles/${slug}/comments`, { comment: { body: "!" } });
    await bob.post("/articles/one/comments", { comment: { body: title } });
  }
  assert.equal(await countStatements(guest, "/articles"), 1);
  assert.equal(await countStatements(guest, "/articles?tag=a&author=bob"), 1);
  assert.equal(await countStatements(guest, "/articles/one"), 1);
  assert.equal(await countStatements(guest, "/profiles/bob"), 1);
  assert.equal(await countStatements(guest, "/tags"), 1);
  assert.equal(await countStatements(guest, "/articles/one/comments"), 2, "the article and its comments");
  assert.equal(await countStatements(guest, "/articles?offset=3"), 2, "an empty page and the total number");
  assert.equal(await countStatements(ada, "/articles"), 3);
  assert.equal(await countStatements(ada, "/articles/feed"), 3);
  assert.equal(await countStatements(ada, "/user"), 3);
});
