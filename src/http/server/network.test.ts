import { HeaderList } from "../message/header-list.ts";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Response } from "../message/response.ts";
import { choose, get } from "../router/route.ts";
import { AllowedHosts, allowedHostsError } from "./allowed-hosts.ts";
import { live, statusOf, wire } from "./live.test.ts";
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

  test("is the address of the proxy if it wrote none", () => {
    const proxies = new TrustedProxies("10.0.0.1");
    for (const claim of ["", "unknown", "1.2.3.4, ", "1.2.3.4:80", "evil<script>"]) {
      assert.equal(proxies.clientAddress("10.0.0.1", forwarded(claim)), "10.0.0.1");
    }
    assert.equal(proxies.clientAddress("10.0.0.1", new HeaderList([])), "10.0.0.1");
  });

  test("and the scheme come from the same proxy", () => {
    const proxies = new TrustedProxies("10.0.0.1");
    assert.equal(proxies.scheme("10.0.0.1", new HeaderList(["x-forwarded-proto", "http, HTTPS"])), "https");
    assert.equal(proxies.scheme("10.0.0.1", new HeaderList(["x-forwarded-proto", "https, http"])), "http");
    assert.equal(proxies.scheme("10.0.0.2", new HeaderList(["x-forwarded-proto", "https"])), "http");
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
    for (const list of ["", "10.0.0.1", "10.0.0.0/8, ::1", "unix", "::/0"])
      assert.equal(trustedProxiesError(list), undefined);
    for (const list of ["proxy", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/8/8", "*"])
      assert.ok(trustedProxiesError(list), list);
  });
});

describe("allowed hosts", () => {
  const isAllowed = (list: string, host: string, own?: string): boolean => {
    try {
      new AllowedHosts(list).check(host, { localAddress: own });
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

  test("require a list of names", () => {
    for (const list of ["", "a.test", "*.a.test, b.test"]) assert.equal(allowedHostsError(list), undefined);
    for (const list of ["*", "a.*.test", "http://a.test", "a*.test"]) assert.ok(allowedHostsError(list), list);
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
    await using server = await live({ router });
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
