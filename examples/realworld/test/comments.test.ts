import assert from "node:assert/strict";
import { test } from "node:test";
import { guest, member } from "./conduit.ts";

test("comments stand with their article, the newest first", async () => {
  const [ada, bob] = [await member("ada"), await member("bob")];
  const [tea, sand] = [await ada.publish("Tea"), await ada.publish("Sand")];
  await ada.post(`/articles/${tea}/comments`, { comment: { body: "First" } });
  await bob.post(`/articles/${tea}/comments`, { comment: { body: " Second " } });
  await bob.post(`/articles/${sand}/comments`, { comment: { body: "Elsewhere" } });
  await ada.post("/profiles/bob/follow");
  const seen = async (person: typeof ada): Promise<readonly unknown[]> =>
    (await person.get(`/articles/${tea}/comments`)).body.comments.map(({ body, author }) => [
      body,
      author.username,
      author.following,
    ]);
  assert.deepEqual(await seen(ada), [
    ["Second", "bob", true],
    ["First", "ada", false],
  ]);
  assert.deepEqual(await seen(guest), [
    ["Second", "bob", false],
    ["First", "ada", false],
  ]);
});

test("an article without comments has an empty list", async () => {
  const slug = await (await member("ada")).publish("Quiet");
  assert.deepEqual((await guest.get(`/articles/${slug}/comments`)).body, { comments: [] });
});

test("comments are deleted by their authors alone, below their own article", async () => {
  const [ada, bob] = [await member("ada"), await member("bob")];
  const [tea, sand] = [await ada.publish("Tea"), await ada.publish("Sand")];
  const { id } = (await bob.post(`/articles/${tea}/comments`, { comment: { body: "Mine" } })).body.comment;
  const refused = await ada.delete(`/articles/${tea}/comments/${id}`);
  assert.deepEqual([refused.status, refused.body], [403, { errors: { body: ["This comment is somebody else's"] } }]);
  assert.equal((await bob.delete(`/articles/${sand}/comments/${id}`)).status, 404);
  for (const other of [`${id}x`, `-${id}`, `${id}.0`, "0", "99999999999999999999"]) {
    assert.equal((await bob.delete(`/articles/${tea}/comments/${other}`)).status, 404, other);
  }
  assert.equal((await guest.get(`/articles/${tea}/comments`)).body.comments.length, 1);
  assert.equal((await bob.delete(`/articles/${tea}/comments/${id}`)).status, 204);
  assert.deepEqual((await guest.get(`/articles/${tea}/comments`)).body.comments, []);
  assert.equal((await bob.delete(`/articles/${tea}/comments/${id}`)).status, 404);
});
