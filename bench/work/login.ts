import assert from "node:assert/strict";
import { browserHeaders, requestBytes, visitor } from "../harness/http.ts";
import { accounts, password } from "./data.mjs";
import { csrfField } from "./page.ts";
import type { Work } from "./work.ts";

const refusal = "Wrong e-mail address or password";

/** Benchmark of a login: each request has an anonymous session with a CSRF token and receives a new session. */
export const loginWork: Work = {
  group: "pages",
  name: "login",
  title: "Login on postgresql: session, CSRF, look-up by e-mail address, argon2id (19 MiB, 2 passes), new session, 303",
  application: "login",
  status: 303,
  async prepare(first, port) {
    const headers = {
      ...browserHeaders,
      origin: `http://127.0.0.1:${port}`,
      "content-type": "application/x-www-form-urlencoded",
    };
    const post = (email: string, tried: string, [name, token]: readonly [string, string]) => ({
      method: "POST",
      headers,
      body: new URLSearchParams({ email, password: tried, [name]: token }).toString(),
    });
    assert.equal((await first.ask("/account", { headers: browserHeaders })).status, 401);
    await first.ask("/enter", { headers: browserHeaders });
    const csrf = csrfField(await first.ask("/site", { headers: browserHeaders }));
    const before = first.cookie();
    const [email = ""] = accounts;
    const forged = await first.ask("/login", post(email, password, [csrf[0], `x${csrf[1].slice(1)}`]));
    assert.equal(forged.status, 403);
    for (const [who, tried] of [
      [email, `${password}!`],
      ["nobody@example.org", password],
    ] as const) {
      const refused = await first.ask("/login", post(who, tried, csrf));
      assert.deepEqual([refused.status, refused.body], [422, refusal]);
    }
    const entered = await first.ask("/login", post(email, password, csrf));
    assert.equal(entered.status, 303, entered.body.slice(0, 2000));
    assert.equal(entered.header("location"), "/account");
    assert.match(entered.header("set-cookie"), /httponly/i);
    assert.notEqual(first.cookie(), before);
    const account = await first.ask("/account", { headers: browserHeaders });
    assert.deepEqual([account.status, account.body], [200, email]);
    const requests: Buffer[] = [];
    for (const one of accounts) {
      const other = visitor(port);
      await other.ask("/enter", { headers: browserHeaders });
      const token = csrfField(await other.ask("/site", { headers: browserHeaders }));
      const ask = post(one, password, token);
      requests.push(requestBytes(port, "/login", { ...ask, headers: { ...headers, cookie: other.cookie() } }));
    }
    return requests;
  },
};
