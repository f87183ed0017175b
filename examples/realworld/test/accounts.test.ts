import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Time } from "limmat";
import { fakeClock } from "limmat/testing";
import { apiRequest, guest, newUser, password, ApiClient } from "./api.ts";

const registration = { username: "ada", email: "ada@example.com", password };

test("registration returns a token, and login accepts the same credentials", async () => {
  const { body } = await guest.post("/users", { user: registration });
  assert.deepEqual(
    { ...body.user, token: "" },
    { username: "ada", email: "ada@example.com", bio: "", image: "", token: "" },
  );
  assert.equal((await new ApiClient(body.user.token).get("/user")).body.user.username, "ada");
  const loggedIn = await guest.post("/users/login", { user: { email: "ADA@example.com", password } });
  assert.equal((await new ApiClient(loggedIn.body.user.token).get("/user")).body.user.email, "ada@example.com");
});

describe("registration", () => {
  const errorsFor = async (changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> => {
    const { status, body } = await guest.post("/users", { user: { ...registration, ...changes } });
    assert.equal(status, 422);
    return body.errors.body;
  };

  test("refuses a taken name or address and creates nothing", async () => {
    await newUser("ada");
    assert.deepEqual(await errorsFor({ email: "other@example.com" }), ["username: This name is taken"]);
    assert.deepEqual(await errorsFor({ username: "other" }), ["email: There is an account with this address already."]);
    const other = await guest.post("/users", { user: { ...registration, username: "o", email: "other@example.com" } });
    assert.equal(other.status, 201);
  });

  test("gives a name to only one of several concurrent registrations", async () => {
    const responses = await Promise.all(
      ["a", "b", "c"].map((name) => guest.post("/users", { user: { ...registration, email: `${name}@example.com` } })),
    );
    assert.deepEqual(responses.map(({ status }) => String(status)).sort(), ["201", "422", "422"]);
  });

  test("reports errors by field", async () => {
    const problems = await errorsFor({ username: "a/b", email: undefined, password: 1 });
    assert.deepEqual(
      problems.map((problem) => problem.split(":")[0]),
      ["username", "email", "password"],
    );
    assert.equal((await errorsFor({ email: "nowhere" }))[0]?.split(":")[0], "email");
    assert.equal((await errorsFor({ password: "short" }))[0]?.split(":")[0], "password");
    for (const username of ["", " ", ".", "..", "a b", "a?b", "é".normalize("NFD"), "x".repeat(61)]) {
      assert.equal((await errorsFor({ username }))[0]?.split(":")[0], "username", username);
    }
  });
});

test("an update changes the sent fields only", async () => {
  const ada = await newUser("ada");
  await ada.put("/user", { user: { bio: "Counts", image: "https://example.com/ada.png" } });
  const { body } = await ada.put("/user", { user: { username: "Zoë", email: "zoe@example.com", bio: "" } });
  const { token, ...account } = body.user;
  assert.deepEqual(account, {
    username: "Zoë",
    email: "zoe@example.com",
    bio: "",
    image: "https://example.com/ada.png",
  });
  assert.equal(`Token ${token}`, ada.authorization);
  assert.deepEqual((await ada.get("/user")).body, body);
  assert.equal((await guest.get("/profiles/Zo%C3%AB")).body.profile.username, "Zoë");
  assert.equal((await guest.get("/profiles/ada")).status, 404);
});

test("an update with one invalid field changes nothing", async () => {
  const ada = await newUser("ada");
  await newUser("bob");
  const before = (await ada.get("/user")).body;
  for (const user of [
    { bio: "New", username: "bob" },
    { bio: "New", email: "bob@example.com" },
    { email: "new@example.com", username: "bob", password: "a meadow of owls" },
    { bio: "New", password: "short" },
  ]) {
    assert.equal((await ada.put("/user", { user })).status, 422);
    assert.deepEqual((await ada.get("/user")).body, before);
  }
});

test("a new password revokes all tokens except the one in the response", async () => {
  const ada = await newUser("ada");
  const { status, body } = await ada.put("/user", { user: { password: "a meadow of owls" } });
  assert.equal(status, 200);
  assert.equal((await ada.get("/user")).status, 401);
  assert.equal((await new ApiClient(body.user.token).get("/user")).status, 200);
  const loginStatus = async (attempt: string): Promise<number> =>
    (await guest.post("/users/login", { user: { email: "ada@example.com", password: attempt } })).status;
  assert.deepEqual([await loginStatus(password), await loginStatus("a meadow of owls")], [401, 200]);
});

test("a token expires after thirty days", async () => {
  using clock = fakeClock();
  const ada = await newUser("ada");
  await clock.advance(Time.days(29));
  assert.equal((await ada.get("/user")).status, 200);
  await clock.advance(Time.days(2));
  assert.equal((await ada.get("/user")).status, 401);
});

test("login attempts are rate-limited", async () => {
  const responses = await Promise.all(
    Array.from({ length: 70 }, () => guest.post("/users/login", { user: { email: "x", password: "y" } })),
  );
  const limited = responses.find(({ status }) => status === 429);
  assert.ok(Number(limited?.headers.get("retry-after")) > 0);
  assert.equal(limited?.body.errors.body.length, 1);
});

test("other origins can use the API (CORS)", async () => {
  const preflightHeaders = { origin: "https://conduit.example", "access-control-request-method": "PUT" };
  const preflight = await apiRequest("OPTIONS", "/user", undefined, undefined, preflightHeaders);
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /PUT/);
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /authorization/);
  const response = await guest.get("/user");
  assert.deepEqual([response.status, response.headers.get("access-control-allow-origin")], [401, "*"]);
});
