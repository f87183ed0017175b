import { HeaderList } from "../message/header-list.ts";
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Log, LogInternals } from "../../log/index.ts";
import { Response } from "../message/response.ts";
import { choose, get } from "../router/route.ts";
import { hostNamesError, isLoopback, matchHostNames } from "../../config/internal.ts";
import { AllowedHosts } from "./allowed-hosts.ts";
import { type Live, live, notOnBun, statusOf, wire } from "./live.test.ts";
import { trustedProxiesError, TrustedProxies } from "./trusted-proxies.ts";

const forwarded = (...values: readonly string[]): HeaderList =>
  new HeaderList(values.flatMap((value) => ["X-Forwarded-For", value]));

describe("the client address", () => {
  test("is the address of the connection if no proxy is trusted, whatever the headers claim", () => {
    const proxies = new TrustedProxies("");
    for (const claim of ["1.1.1.1", "1.1.1.1, 2.2.2.2", "::1", "unknown"]) {
      assert.equal(proxies.clientAddress("10.0.0.1", forwarded(claim)), "10.0.0.1");
      assert.equal(proxies.scheme("10.0.0.1", new HeaderList(["X-Forwarded-Proto", "https"])), "http");
    }
  });

  test("is the last entry that a trusted proxy wrote", () => {
    const proxies = new TrustedProxies("10.0.0.0/8, 2001:db8::1");
    assert.equal(proxies.clientAddress("10.1.2.3", forwarded("6.6.6.6, 1.2.3.4")), "1.2.3.4");
    assert.equal(proxies.clientAddress("10.1.2.3", forwarded("6.6.6.6", "1.2.3.4")), "1.2.3.4");
    assert.equal(proxies.clientAddress("::ffff:10.1.2.3", forwarded("::ffff:1.2.3.4")), "1.2.3.4");
    assert.equal(proxies.clientAddress("2001:db8::1", forwarded("2001:db8::2")), "2001:db8::2");
    assert.equal(proxies.clientAddress("11.0.0.1", forwarded("1.2.3.4")), "11.0.0.1");
    assert.equal(proxies.clientAddress("", forwarded("1.2.3.4")), "");
    assert.equal(new TrustedProxies("unix").clientAddress("", forwarded("1.2.3.4")), "1.2.3.4");
  });

  test("is found through several proxies in a row", () => {
    const proxies = new TrustedProxies("10.0.0.0/8, 2001:db8::/32, unix");
    const cases = [
      ["1.2.3.4, 10.0.0.2", "1.2.3.4"],
      ["6.6.6.6, 1.2.3.4, 10.0.0.2, 10.0.0.3", "1.2.3.4"],
      ["1.2.3.4,10.0.0.2,  2001:db8::2", "1.2.3.4"],
      ["10.0.0.9, 10.0.0.2", "10.0.0.9"],
      ["10.0.0.5, 1.2.3.4, 10.0.0.2", "1.2.3.4"],
      ["1.2.3.4, unknown, 10.0.0.2", "10.0.0.2"],
      ["1.2.3.4, , 10.0.0.2", "10.0.0.2"],
      [",10.0.0.2", "10.0.0.2"],
      ["1.2.3.4, ::ffff:10.0.0.2, ::FFFF:0A00:0003", "1.2.3.4"],
    ] as const;
    for (const [list, client] of cases) {
      assert.equal(proxies.clientAddress("10.0.0.1", forwarded(list)), client, list);
      assert.equal(proxies.clientAddress("", forwarded(...list.split(","))), client, list);
      assert.equal(proxies.clientAddress("1.1.1.1", forwarded(list)), "1.1.1.1");
    }
  });

  test("may have a port and brackets", () => {
    const proxies = new TrustedProxies("10.0.0.0/8");
    const cases = [
      ["1.2.3.4:8080", "1.2.3.4"],
      ["[2001:db8::1]", "2001:db8::1"],
      ["[2001:db8::1]:8080", "2001:db8::1"],
      ["[::ffff:1.2.3.4]:80", "1.2.3.4"],
      ["2001:db8::1", "2001:db8::1"],
      ["1.2.3.4:1, 10.0.0.2:2", "1.2.3.4"],
      ["1.2.3.4:", "10.0.0.1"],
      ["[1.2.3.4", "10.0.0.1"],
      ["[]:80", "10.0.0.1"],
      ["x[2001:db8::1]:80", "10.0.0.1"],
      ["[2001:db8::1]:80x", "10.0.0.1"],
      ["[2001:db8::1]:", "10.0.0.1"],
      ["[2001:DB8::1]:80", "2001:DB8::1"],
      ["x1.2.3.4:80", "10.0.0.1"],
      ["1.2.3.4:80x", "10.0.0.1"],
      [":80", "10.0.0.1"],
      ["::FFFF:1.2.3.4", "1.2.3.4"],
      ["1::ffff:1.2.3.4", "1::ffff:1.2.3.4"],
    ] as const;
    for (const [list, client] of cases) assert.equal(proxies.clientAddress("10.0.0.1", forwarded(list)), client, list);
  });

  test("behind a proxy that is not listed is the proxy's, and one warning says so", async () => {
    const router = get("/", ({ ip }) => Response.text(ip));
    const warnings = async (
      settings: readonly (readonly [string, string])[],
      headers: Record<string, string>,
    ): Promise<string[]> => {
      await using server = await live({ router }, settings);
      for (let requests = 0; requests < 3; requests++) await server.talk(wire("GET", "/", headers));
      return server.logged.filter((message) => /TRUSTED_PROXIES/.test(message));
    };
    const headers = { "x-forwarded-for": "1.2.3.4" };
    assert.equal((await warnings([], headers)).length, 1);
    assert.equal((await warnings([["TRUSTED_PROXIES", "10.0.0.1"]], headers)).length, 1);
    assert.deepEqual(await warnings([["TRUSTED_PROXIES", "127.0.0.1"]], headers), []);
    assert.deepEqual(await warnings([], {}), []);
    // A client on the internet may send the header itself.
    const logged: string[] = [];
    const report = ({ fields }: Log.Entry): void => void logged.push(String(fields["address"]));
    Log.configure({ level: "warning", reporters: [{ report }] });
    try {
      const proxies = new TrustedProxies("");
      for (const peer of ["1.1.1.1", "2001:db8::1", "::ffff:8.8.8.8", "172.32.0.1"])
        proxies.clientAddress(peer, forwarded("1.2.3.4"));
      await LogInternals.flush();
      assert.deepEqual(logged, []);
      for (const peer of [
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "::ffff:127.0.0.1",
        "::1",
        "fd00::1",
        "100.64.0.1",
        "",
      ])
        new TrustedProxies("").clientAddress(peer, forwarded("1.2.3.4"));
      await LogInternals.flush();
      assert.equal(logged.length, 8);
      assert.deepEqual([logged[0], logged[3], logged[7]], ["10.0.0.1", "127.0.0.1", "unix"]);
    } finally {
      LogInternals.reset();
    }
  });

  test("is the address of the proxy if it wrote none", () => {
    const proxies = new TrustedProxies("10.0.0.1");
    for (const claim of ["", "unknown", "1.2.3.4, ", "evil<script>"]) {
      assert.equal(proxies.clientAddress("10.0.0.1", forwarded(claim)), "10.0.0.1");
    }
    assert.equal(proxies.clientAddress("10.0.0.1", new HeaderList([])), "10.0.0.1");
  });

  test("and the scheme come from the same proxy", () => {
    const proxies = new TrustedProxies("10.0.0.1");
    assert.equal(proxies.scheme("10.0.0.1", new HeaderList(["x-forwarded-proto", "http, HTTPS"])), "https");
    assert.equal(proxies.scheme("10.0.0.1", new HeaderList(["x-forwarded-proto", "https, http"])), "http");
    assert.equal(proxies.scheme("10.0.0.2", new HeaderList(["x-forwarded-proto", "https"])), "http");
    const two = (addresses: string, schemes: string): string =>
      new TrustedProxies("10.0.0.0/8").scheme(
        "10.0.0.1",
        new HeaderList(["x-forwarded-for", addresses, "x-forwarded-proto", schemes]),
      );
    assert.equal(two("1.2.3.4, 10.0.0.2", "https, http"), "https");
    assert.equal(two("1.2.3.4, 10.0.0.2", "https"), "https");
    assert.equal(two("1.2.3.4, 10.0.0.2", "https, http, http"), "http");
    assert.equal(two("1.2.3.4", "https, http"), "http");
  });

  test("and the identifier come from the same proxy", async () => {
    const router = get("/", ({ id }) => Response.text(id));
    const ask = wire("GET", "/", { "x-request-id": "from-proxy" });
    {
      await using server = await live({ router });
      assert.doesNotMatch(await server.talk(ask), /from-proxy/);
    }
    {
      await using server = await live({ router }, [["TRUSTED_PROXIES", "10.0.0.1"]]);
      assert.doesNotMatch(await server.talk(ask), /from-proxy/);
    }
    await using server = await live({ router }, [["TRUSTED_PROXIES", "127.0.0.0/8"]]);
    assert.match(await server.talk(ask), /\r\nx-request-id: from-proxy\r\n[^]*\r\n\r\nfrom-proxy$/);
  });

  test("is passed to the handler", async () => {
    const router = get("/", ({ ip, url }) => Response.text(`${ip} ${url.protocol}`));
    const headers = { "x-forwarded-for": "6.6.6.6, 1.2.3.4", "x-forwarded-proto": "https" };
    {
      await using server = await live({ router });
      assert.match(await server.talk(wire("GET", "/", headers)), /127\.0\.0\.1 http:$/);
    }
    await using server = await live({ router }, [["TRUSTED_PROXIES", "127.0.0.1"]]);
    assert.match(await server.talk(wire("GET", "/", headers)), /1\.2\.3\.4 https:$/);
  });

  test("requires a list of addresses", () => {
    for (const list of ["", "10.0.0.1", "10.0.0.0/8, ::1", "unix", "::/0", "::1/128", "10.0.0.1/32"])
      assert.equal(trustedProxiesError(list), undefined);
    for (const list of [
      "proxy",
      "10.0.0.0/33",
      "::/129",
      "10.0.0.0/x",
      "10.0.0.0/x8",
      "10.0.0.0/8x",
      "10.0.0.0/0008",
      "10.0.0.0/8/8",
      "*",
    ])
      assert.ok(trustedProxiesError(list), list);
  });
});

describe("allowed hosts", () => {
  const isAllowed = (list: string, host: string, own?: string): boolean => {
    try {
      new AllowedHosts(matchHostNames(list)).check(host, { localAddress: own });
      return true;
    } catch {
      return false;
    }
  };

  test("are all hosts for an empty list", () => {
    assert.ok(isAllowed("", "anything.test"));
  });

  test("are the listed names, with any port and letter case, and names below a wildcard", () => {
    const list = "example.com, *.example.org";
    for (const host of ["example.com", "EXAMPLE.com:8080", "example.com.", "a.example.org", "a.b.example.org"])
      assert.ok(isAllowed(list, host), host);
    for (const host of [
      "evil.test",
      "www.example.com",
      "example.org",
      "aexample.org",
      "example.com.evil.test",
      "127.0.0.1",
    ])
      assert.ok(!isAllowed(list, host), host);
  });

  test("include the local address of the connection, and no other address", () => {
    assert.ok(isAllowed("example.com", "10.0.0.7:3000", "10.0.0.7"));
    assert.ok(isAllowed("example.com", "10.0.0.7", "::ffff:10.0.0.7"));
    assert.ok(isAllowed("example.com", "[2001:db8::1]:3000", "2001:db8::1"));
    assert.ok(!isAllowed("example.com", "10.0.0.8", "10.0.0.7"));
  });

  test("are checked with and without a socket", async () => {
    await using server = await live({ router: get("/", () => Response.text("")) }, [["ALLOWED_HOSTS", "example.com"]]);
    assert.equal(statusOf(await server.talk(wire("GET", "/", { host: "evil.test" }))), 400);
    assert.equal(statusOf(await server.talk(wire("GET", "/", { host: "example.com" }))), 200);
    assert.equal((await server.http.fetch(new globalThis.Request("http://evil.test/"))).status, 400);
    assert.equal((await server.http.fetch(new globalThis.Request("http://example.com/"))).status, 200);
  });

  const hostStatuses = async (
    settings: readonly (readonly [string, string])[],
    hosts: readonly string[],
  ): Promise<readonly number[]> => {
    await using server = await live({ router: get("/", () => Response.text("")) }, settings);
    const statuses: number[] = [];
    for (const host of hosts) {
      const status = statusOf(await server.talk(wire("GET", "/", { host })));
      assert.equal((await server.http.fetch(new globalThis.Request(`http://${host}/`))).status, status, host);
      statuses.push(status);
    }
    return statuses;
  };
  const production = [
    ["FRAMEWORK_ENV", "production"],
    ["FRAMEWORK_SECRET", "a-secret-of-32-bytes-at-the-least-0123456789"],
  ] as const;
  const loopback = [
    "localhost",
    "LOCALHOST:3000",
    "localhost.",
    "shop.localhost",
    "127.0.0.1",
    "127.1.2.3:80",
    "[::1]:80",
  ];
  const foreign = [
    "evil.test",
    "localhost.evil.test",
    "127.0.0.1.evil.test",
    "notlocalhost",
    "192.0.2.1",
    "[2001:db8::1]",
  ];

  test("are loopback names without a list, in development and in test (DNS rebinding)", async () => {
    for (const environment of ["development", "test"]) {
      const statuses = await hostStatuses([["FRAMEWORK_ENV", environment]], [...loopback, ...foreign]);
      assert.deepEqual(statuses, [...loopback.map(() => 200), ...foreign.map(() => 400)]);
    }
  });

  test("are loopback names and those of the list outside production", async () => {
    const settings = [["ALLOWED_HOSTS", "tunnel.example.com"]] as const;
    const statuses = await hostStatuses(settings, ["tunnel.example.com", ...loopback, ...foreign]);
    assert.deepEqual(statuses, [200, ...loopback.map(() => 200), ...foreign.map(() => 400)]);
  });

  test("are those of the list alone in production", async () => {
    const settings = [...production, ["ALLOWED_HOSTS", "shop.test"]] as const;
    assert.deepEqual(await hostStatuses(settings, ["shop.test", "localhost", "evil.test"]), [200, 400, 400]);
  });

  test("are loopback names without a list if the environment is not set", async () => {
    const environment = process.env["FRAMEWORK_ENV"];
    delete process.env["FRAMEWORK_ENV"];
    try {
      assert.deepEqual(await hostStatuses([], ["localhost", "evil.test"]), [200, 400]);
    } finally {
      if (environment !== undefined) process.env["FRAMEWORK_ENV"] = environment;
    }
  });

  test("are all names without a list in production", async () => {
    assert.deepEqual(await hostStatuses(production, ["localhost", "shop.test"]), [200, 200]);
    await using server = await live({ router: get("/", () => Response.text("")) }, production);
    for (const host of ["a/b", "user@a", "a, b", "a:port", "[::1", "x[::1]", "a b", "a:123456"]) {
      const answer = await server.talk(wire("GET", "/", { host }));
      assert.match(answer, /^HTTP\/1\.1 400 [^]*no host name/, host);
    }
  });

  test("are no names that only look like an address of this machine", () => {
    for (const host of ["localhost", "a.localhost", "127.0.0.1", "127.255.255.255", "::1", "[::1]"])
      assert.ok(isLoopback(host), host);
    for (const host of [
      "x127.0.0.1",
      "127.0.0.1x",
      "127.0.0",
      "127.0.0.1234",
      "x::1",
      "::1x",
      "[::1",
      "x[::1]",
      "[::1]x",
    ])
      assert.ok(!isLoopback(host), host);
  });

  test("include HOST, and the host of the development server", async () => {
    const hosts = ["localhost", "192.0.2.1", "shop.test", "evil.test", "[2001:db8::1]"];
    assert.deepEqual(
      await hostStatuses(
        [
          ["FRAMEWORK_ENV", "test"],
          ["HOST", "0.0.0.0"],
        ],
        hosts,
      ),
      [200, 200, 400, 400, 200],
    );
    assert.deepEqual(await hostStatuses([["DEVELOPMENT_HOST", "Shop.test"]], hosts), [200, 400, 200, 400, 400]);
    assert.deepEqual(await hostStatuses([["DEVELOPMENT_HOST", "2001:DB8:0::1"]], hosts), [200, 400, 400, 400, 200]);
    assert.deepEqual(await hostStatuses([["DEVELOPMENT_HOST", "::"]], hosts), [200, 200, 400, 400, 200]);
    assert.deepEqual(await hostStatuses([["DEVELOPMENT_HOST", "no host"]], hosts), [200, 400, 400, 400, 400]);
  });

  test("are named by the error page, which says where to add them", async () => {
    await using server = await live({ router: get("/", () => Response.text("")) });
    assert.match(await server.talk(wire("GET", "/", { host: "shop.test" })), /shop\.test.*ALLOWED_HOSTS/s);
  });

  test("require a list of names", () => {
    for (const list of ["", "a.test", "*.a.test, b.test", "A_b-1.test, [::1], [2001:DB8::1]"])
      assert.equal(hostNamesError(list), undefined);
    for (const list of [
      "*",
      "*.",
      "a.*.test",
      "http://a.test",
      "a*.test",
      "a.test/",
      "*.a/b",
      "a b",
      "[::1",
      "[]",
      "[::1]x",
      "x[::1]",
      "[a.test]",
      "ä.test",
    ])
      assert.ok(hostNamesError(list), list);
  });
});

describe("routes for a host", () => {
  test("have precedence over routes for all hosts, and do not match other hosts", async () => {
    const router = choose([
      get("/", () => Response.text("all")),
      get("/common", () => Response.text("common")),
      choose([get("/", () => Response.text("api")), get("/:id", ({ params }) => Response.text(`api ${params.id}`))], {
        host: "api.example.com",
      }),
      choose([get("/", () => Response.text("tenant"))], { host: "*.example.com" }),
    ]);
    await using server = await live({ router }, [["ALLOWED_HOSTS", "example.com, *.example.com"]]);
    const ask = async (host: string, path = "/"): Promise<string> =>
      (await server.talk(wire("GET", path, { host }))).split("\r\n\r\n")[1] ?? "";
    assert.equal(await ask("example.com"), "all");
    assert.equal(await ask("API.example.com:80"), "api");
    assert.equal(await ask("api.example.com", "/7"), "api 7");
    assert.equal(await ask("shop.example.com"), "tenant");
    assert.equal(await ask("shop.example.com", "/common"), "common");
    assert.match(await ask("shop.example.com", "/7"), /not found/);
  });
});

describe("a Unix socket", () => {
  test("can be listened on, replaced if it is stale, and not replaced while it is in use", async () => {
    const folder = await mkdtemp(join(tmpdir(), "limmat-"));
    const socket = join(folder, "http.sock");
    const settings = [["SOCKET", socket]] as const;
    const router = get("/", ({ ip }) => Response.text(`from ${ip === "" ? "nowhere" : ip}`));
    try {
      await using server = await live({ router }, settings);
      const answer = new Promise<string>((resolve, reject) => {
        httpRequest({ socketPath: socket, path: "/", agent: false }, (response) => {
          response.setEncoding("utf8").on("data", resolve);
        })
          .on("error", reject)
          .end();
      });
      assert.equal(await answer, "from nowhere");
      assert.equal(server.http.address()?.socketPath, socket);
      await assert.rejects(live({ router }, settings), { code: "E_SOCKET_TAKEN" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  const noLimit = notOnBun("Bun has no limit for clients that do not read");
  test("disconnects a client that does not read, and stops although one does not", noLimit, async () => {
    const folder = await mkdtemp(join(tmpdir(), "limmat-"));
    const path = join(folder, "http.sock");
    const unread = Response.text("x".repeat(16_000_000));
    const stall = async (limits: object): Promise<{ readonly server: Live; readonly client: Socket }> => {
      const server = await live({ router: get("/", () => unread), limits }, [["SOCKET", path]]);
      const client = connect(path).pause();
      client.on("error", () => {});
      client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await once(client, "readable");
      return { server, client };
    };
    try {
      const slow = await stall({ stallTimeoutMs: 50 });
      // The stop waits for the only connection, which is cut long before this limit.
      await slow.server[Symbol.asyncDispose]();
      slow.client.destroy();
      const stopped = await stall({ drainTimeoutMs: 50 });
      await stopped.server[Symbol.asyncDispose]();
      stopped.client.destroy();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("requires its folder", async () => {
    await assert.rejects(live({ router: { routes: [] } }, [["SOCKET", "/nowhere/http.sock"]]), {
      code: "E_SOCKET_FORBIDDEN",
    });
  });
});

test("listens on IPv6", async (context) => {
  const probe = createServer();
  const hasIpv6 = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false)).listen(0, "::1", () => probe.close(() => resolve(true)));
  });
  if (!hasIpv6) return context.skip("this machine has no IPv6");
  await using server = await live({ router: get("/", ({ ip }) => Response.text(ip)) }, [["HOST", "::1"]]);
  assert.equal(await (await fetch(`http://[::1]:${server.port}/`)).text(), "::1");
});
