import assert from "node:assert/strict";
import { test } from "node:test";
import { guest, newUser } from "./api.ts";

test("a profile shows if the current user follows it", async () => {
  const [ada, bob] = [await newUser("ada"), await newUser("bob")];
  await bob.put("/user", { user: { bio: "Builds", image: "/bob.png" } });
  const profile = { username: "bob", bio: "Builds", image: "/bob.png" };
  assert.deepEqual((await ada.post("/profiles/bob/follow")).body.profile, { ...profile, following: true });
  assert.deepEqual((await ada.get("/profiles/bob")).body.profile, { ...profile, following: true });
  assert.equal((await bob.get("/profiles/ada")).body.profile.following, false);
  assert.equal((await guest.get("/profiles/bob")).body.profile.following, false);
  assert.deepEqual((await ada.delete("/profiles/bob/follow")).body.profile, { ...profile, following: false });
  assert.equal((await ada.get("/profiles/bob")).body.profile.following, false);
});

test("follow and unfollow are idempotent", async () => {
  const ada = await newUser("ada");
  await newUser("bob");
  for (const isFollowing of [true, true, false, false]) {
    const { status, body } = await (isFollowing
      ? ada.post("/profiles/bob/follow")
      : ada.delete("/profiles/bob/follow"));
    assert.deepEqual([status, body.profile.following], [200, isFollowing]);
  }
});
