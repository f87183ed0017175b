// Options and limits of the pages of a password reset.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import {
  App,
  Configuration,
  Email,
  error,
  ok,
  PasswordReset,
  Queue,
  Service,
  Time,
  Token,
  type User,
  Web,
} from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";
import { html } from "limmat/html";
import { capturedLog, fakeClock, type Page, runCommand, visitor } from "limmat/testing";

const ada: User.User = {
  id: "4e9f8f0e-1111-4222-8333-000000000000",
  email: "ada@example.com",
  username: undefined,
  name: undefined,
  given_name: undefined,
  status: "active",
  admin: false,
  confirmed: true,
  version: 0,
  created_at: new Date(0),
  updated_at: new Date(0),
};

/** User service of an application. */
const users: PasswordReset.ResetUserService = {
  ...Service.make({ name: "members" }),
  findOpt: async (id) => (id === ada.id ? ada : undefined),
  findByEmailOpt: async (email) => (email.toLowerCase() === ada.email ? ada : undefined),
  hashPassword: async (_, { password, confirmation }) => {
    if (password !== "long enough") return error({ password: "Please take a longer one" });
    return confirmation === password ? ok({ toPhc: () => password }) : error({ confirmation: "Please enter it twice" });
  },
  setPassword: async () => ok(ada),
};

describe("the pages of a password reset", () => {
  let email: Email.EmailService;
  let service: PasswordReset.PasswordResetService;
  let app: App.Application;
  let log: ReturnType<typeof capturedLog>;
  let clock: ReturnType<typeof fakeClock>;

  const start = async (
    router: Partial<PasswordReset.Web.RouterOptions> = {},
    options: Partial<PasswordReset.PasswordResetOptions> = {},
  ): Promise<void> => {
    service = PasswordReset.service({ token: Token.memory(), user: users, email, ...options });
    const pages = PasswordReset.Web.router({ passwordReset: service, ...router });
    app = App.create({ services: [Web.Http.service({ router: pages, dependencies: () => [service] })] });
    await app.start({ server: false });
  };
  beforeEach(() => {
    clock = fakeClock();
    log = capturedLog();
    email = Email.memory();
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
  });
  afterEach(async () => {
    await app.stop();
    ConfigurationInternals.reset();
    log[Symbol.dispose]();
    clock[Symbol.dispose]();
  });

  const requestLink = (typed: string): Promise<Page> => visitor(app).post("/password-reset", { email: typed });
  const countMails = async (): Promise<number> => {
    await service.drain?.();
    return email.inbox.all().length;
  };

  test("send three mails an hour to an address and respond the same for further ones", async () => {
    await start();
    for (const typed of [ada.email, "ADA@example.com", ` ${ada.email}`, ada.email, ada.email]) {
      assert.equal((await requestLink(typed)).location, "/password-reset/sent");
    }
    assert.equal(await countMails(), 3);
    await clock.advance(Time.minutes(20));
    await requestLink(ada.email);
    await requestLink(ada.email);
    assert.equal(await countMails(), 4);
  });

  test("accept twenty forms of a client in ten minutes", async () => {
    await start();
    for (let count = 0; count < 10; count++) {
      assert.equal((await requestLink(`${count}@example.com`)).status, 303);
      assert.equal((await visitor(app).post("/password-reset/new", { token: "x" })).status, 410);
    }
    assert.equal((await requestLink("one@example.com")).status, 429);
    assert.equal((await visitor(app).post("/password-reset/new", { token: "x" })).status, 429);
    assert.equal((await visitor(app).get("/password-reset")).status, 200);
    await clock.advance(Time.seconds(30) - 1);
    assert.equal((await requestLink("one@example.com")).status, 429);
    await clock.advance(1);
    assert.equal((await requestLink("one@example.com")).status, 303);
    assert.equal((await requestLink("one@example.com")).status, 429);
  });

  test("count mails per process and log an error when the store of the limits fails", async () => {
    await start({ store: { consume: () => Promise.reject(new Error("no connection")) } });
    for (let count = 0; count < 5; count++) assert.equal((await requestLink(ada.email)).status, 303);
    assert.equal(await countMails(), 3);
    assert.match(log.messages().join(), /each process counts mails for itself/);
  });

  test("respond before the mail is sent, and the shutdown waits for it", async () => {
    const sent = Promise.withResolvers<undefined>();
    await start({}, { email: { ...email, send: () => sent.promise } });
    assert.equal((await requestLink(ada.email)).status, 303);
    let isDrained = false;
    const drain = Promise.resolve(service.drain?.()).then(() => (isDrained = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isDrained, false);
    sent.resolve(undefined);
    await drain;
  });

  test("respond the same when the mail cannot be sent, and log the reason", async () => {
    await start({}, { email: { ...email, send: () => Promise.reject(new Error("no server")) } });
    assert.equal((await requestLink(ada.email)).location, "/password-reset/sent");
    await countMails();
    assert.match(JSON.stringify(log.entries), /could not be sent.*no server/);
    assert.doesNotMatch(JSON.stringify(log.entries), /lmt_|ada@/);
  });

  test("queue no readable link", async () => {
    const queue = Queue.memory();
    await start({}, { email: Email.queued({ queue, email }) });
    await requestLink(ada.email);
    await countMails();
    const [jobs, count] = await queue.search();
    assert.equal(count, 1);
    assert.doesNotMatch(JSON.stringify(jobs), /lmt_|token=|ada@/);
    await queue.runDue();
    const link = new URL(/http\S+/.exec(email.inbox.all()[0]?.text ?? "")?.[0] ?? "");
    assert.equal((await service.findUserOpt(link.searchParams.get("token") ?? ""))?.id, ada.id);
  });

  test("can have another layout, other texts and another path", async () => {
    await start(
      {
        scope: "/passwort",
        loginPath: "/anmelden",
        layout: (_, title, content) => html`<title>${title} · custom</title>${content}`,
        views: { linkSent: () => ({ title: "Unterwegs", content: html`<p>Schau in dein Postfach.</p>` }) },
      },
      {
        mail: ({ user, url, expiresInMinutes }) => ({
          subject: `Hallo ${user.email}`,
          text: `${url} (${expiresInMinutes})`,
        }),
      },
    );
    const client = visitor(app);
    assert.match((await client.get("/passwort")).body, /Forgot your password\? · custom.*action="\/passwort"/s);
    const sent = await client.follow(await client.post("/passwort", { email: ada.email }));
    assert.match(sent.body, /Unterwegs · custom.*Postfach/s);
    assert.match((await client.get("/passwort/done")).body, /href="\/anmelden"/);
    await countMails();
    const [mail] = email.inbox.all();
    assert.equal(mail?.subject, "Hallo ada@example.com");
    assert.match(mail.text, /^http:\/\/localhost:3000\/password-reset\/new\?token=lmt_[\w-]{49} \(10\)/);
  });

  test("show the error of a password at its field", async () => {
    await start();
    const token = (await service.createResetToken(ada.email)) ?? "";
    const fields = { token, password: "short", confirmation: "short" };
    const { status, body } = await visitor(app).post("/password-reset/new", fields);
    assert.equal(status, 422);
    assert.match(body, /id="password"[^>]*aria-invalid="true"[^>]*aria-describedby="password-error"/);
    assert.match(body, /id="password-error"[^>]*>\s*Please take a longer one/);
    assert.match(body, /id="confirmation"[^>]*aria-invalid="false"/);
    const done = await visitor(app).post("/password-reset/new", {
      token,
      password: "long enough",
      confirmation: "long enough",
    });
    assert.equal(done.location, "/password-reset/done");
  });

  test("require a valid address", async () => {
    await start({ store: { consume: () => ({ isAllowed: true, remaining: 1, retryAfterMs: 0, resetMs: 0 }) } });
    const label = "b".repeat(63);
    const long = `a@${label}.${label}.${label}.${"b".repeat(61)}`;
    for (const typed of ["", "ada", "ada@", "@example.com", "a b@c", "a@b c", "x@y z@b", "a@b@c", "a@b\n@", long]) {
      const { status, body } = await requestLink(typed);
      assert.equal(status, 422, typed);
      assert.match(body, /id="email"[^>]*aria-invalid="true"/);
      assert.match(body, /Please enter an e-mail address/);
    }
    for (const typed of ["a@b", long.slice(0, -1)]) assert.equal((await requestLink(typed)).status, 303, typed);
  });

  test("show the address of the user, for a valid link only", async () => {
    await start();
    const token = (await service.createResetToken(ada.email)) ?? "";
    const { status, body } = await visitor(app).get(`/password-reset/new?token=${token}`);
    assert.equal(status, 200);
    assert.match(body, new RegExp(`action="/password-reset/new".*value="${token}".*value="ada@example.com"`, "s"));
    assert.equal((await visitor(app).get(`/password-reset/new?token=${token}x`)).status, 410);
    assert.equal((await visitor(app).get("/password-reset/new")).status, 410);
    const differs = { token, password: "long enough", confirmation: "long enouhg" };
    assert.match((await visitor(app).post("/password-reset/new", differs)).body, /Please enter it twice/);
  });

  test("are not cached and send no referrer to other sites", async () => {
    await start();
    const pages = [];
    for (const path of ["", "/sent", "/new?token=x", "/done"])
      pages.push(await visitor(app).get(`/password-reset${path}`));
    Configuration.store([["CHECK_CSRF", "true"]]);
    pages.push(await requestLink(ada.email));
    assert.deepEqual(
      pages.map(({ status, headers }) => [status, headers.get("referrer-policy"), headers.get("cache-control")]),
      [200, 200, 410, 200, 403].map((status) => [status, "no-referrer", "no-store"]),
    );
    assert.doesNotMatch(pages[3]?.body ?? "", /<a [^>]*href/);
  });

  test("have route names for links", async () => {
    await start();
    const { stdout } = await runCommand(app, "routes", "--json");
    const named = (JSON.parse(stdout) as readonly { name: string | null; path: string }[])
      .filter(({ name }) => (name ?? "") !== "")
      .map(({ name, path }) => [name, path]);
    assert.deepEqual(named, [
      ["passwordReset", "/password-reset"],
      ["passwordReset.sent", "/password-reset/sent"],
      ["passwordReset.new", "/password-reset/new"],
      ["passwordReset.done", "/password-reset/done"],
    ]);
  });

  test("refuse repeated or missing fields", async () => {
    await start();
    const token = (await service.createResetToken(ada.email)) ?? "";
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    for (const body of [`token=${token}&token=${token}&password=long+enough`, "password=long+enough", ""]) {
      const { status } = await app.request("/password-reset/new", { method: "POST", headers, body });
      assert.equal(status, 410, body);
    }
    assert.ok(await service.findUserOpt(token));
  });

  test("work below PREFIX_PATH", async () => {
    Configuration.store([["PREFIX_PATH", "/shop"]]);
    await start({ loginPath: "/login" });
    const client = visitor(app);
    assert.match((await client.get("/shop/password-reset")).body, /action="\/shop\/password-reset"/);
    assert.equal((await client.post("/shop/password-reset", { email: "a@b" })).location, "/shop/password-reset/sent");
    assert.match((await client.get("/shop/password-reset/done")).body, /href="\/shop\/login"/);
  });

  test("require an e-mail service", async () => {
    await start();
    const withoutEmail = PasswordReset.service({ token: Token.memory(), user: users });
    assert.throws(() => PasswordReset.Web.router({ passwordReset: withoutEmail }), { code: "E_PASSWORD_RESET_EMAIL" });
    await assert.rejects(withoutEmail.sendResetLink(ada.email), { code: "E_PASSWORD_RESET_EMAIL" });
    assert.match((await withoutEmail.createResetToken(ada.email)) ?? "", /^lmt_/);
  });

  test("have a configuration that is checked", async () => {
    await start();
    const problems = async (pairs: readonly (readonly [string, string])[]): Promise<string> => {
      Configuration.store(pairs);
      const { stdout, stderr } = await runCommand(app, "config", "--check");
      Configuration.store(pairs.map(([key]) => [key, ""]));
      return stdout + stderr;
    };
    assert.match(await problems([]), /complete/);
    for (const url of [
      "/password-reset",
      "ftp://example.com",
      "https://u:p@example.com/x",
      "https://example.com/?a=b",
      "x",
    ]) {
      assert.match(await problems([["APP_URL", url]]), /APP_URL/, url);
    }
    for (const life of ["59s", "61m", "10", "0s"]) {
      assert.match(await problems([["PASSWORD_RESET_LIFETIME", life]]), /PASSWORD_RESET_LIFETIME/, life);
    }
    assert.match(await problems([["PASSWORD_RESET_LIFETIME", "1h"]]), /complete/);
    const levels = async (): Promise<unknown> =>
      (await service.check?.({ environment: "production" }))?.map(({ level }) => level);
    assert.deepEqual(await levels(), ["problem"]);
    Configuration.store([["APP_URL", "HTTPS://example.com"]]);
    assert.deepEqual(await levels(), ["ok"]);
    Configuration.store([["APP_URL", ""]]);
    Configuration.store([["FRAMEWORK_ENV", "production"]]);
    assert.match(await problems([]), /APP_URL/);
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
  });
});
