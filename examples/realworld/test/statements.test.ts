// How often a request asks the database, which does not grow with what it shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { capturedLog } from "limmat/testing";
import { guest, member, type Person } from "./conduit.ts";

async function statements(person: Person, path: string): Promise<number> {
  using log = capturedLog();
  assert.equal((await person.get(path)).status, 200);
  return log.entries.filter(({ source }) => source === "limmat.database").length;
}

test("lists take one statement, and a token two more", async () => {
  const [ada, bob] = [await member("ada"), await member("bob")];
  await ada.post("/profiles/bob/follow");
  for (const title of ["One", "Two", "Three"]) {
    const slug = await bob.publish(title, ["a", "b"]);
    await ada.post(`/articles/${slug}/comments`, { comment: { body: "!" } });
    await bob.post("/articles/one/comments", { comment: { body: title } });
  }
  assert.equal(await statements(guest, "/articles"), 1);
  assert.equal(await statements(guest, "/articles?tag=a&author=bob"), 1);
  assert.equal(await statements(guest, "/articles/one"), 1);
  assert.equal(await statements(guest, "/profiles/bob"), 1);
  assert.equal(await statements(guest, "/tags"), 1);
  assert.equal(await statements(guest, "/articles/one/comments"), 2, "the article, and its comments");
  assert.equal(await statements(guest, "/articles?offset=3"), 2, "an empty page, and how many there are");
  assert.equal(await statements(ada, "/articles"), 3);
  assert.equal(await statements(ada, "/articles/feed"), 3);
  assert.equal(await statements(ada, "/user"), 3);
});
