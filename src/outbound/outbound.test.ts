import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import dns from "node:dns/promises";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, type Server, setDefaultAutoSelectFamily } from "node:net";
import { syncBuiltinESMExports } from "node:module";
import { once } from "node:events";
import { afterEach, describe, test, type TestContext } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { queryObjects } from "node:v8";
import { Configuration, Outbound } from "limmat";
import { fakeClock, forbidOutboundRequests } from "limmat/testing";
import { ConfigurationInternals } from "../config/index.ts";
import { certificate, key } from "../http/server/live.test.ts";
import { isPublicAddress } from "./public-address.ts";

afterEach(() => ConfigurationInternals.reset());

/** Replaces the name server: each call answers with the next addresses, and the last ones again. */
function answerNames(t: TestContext, ...answers: readonly (readonly string[])[]): readonly string[] {
  const names: string[] = [];
  const { mock } = t.mock.method(dns, "lookup", async (name: string, options: unknown) => {
    assert.deepEqual(options, { all: true });
    const addresses = answers[Math.min(names.push(name), answers.length) - 1] ?? [];
    if (addresses.length === 0) throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  });
  syncBuiltinESMExports();
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  return names;
}

/** Starts a server on loopback whose origin is allowed, with any name. */
async function serve(
  listener: RequestListener,
  host = "127.0.0.1",
  server: Server = createServer(listener),
): Promise<AsyncDisposable & { readonly origin: string }> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const origin = `${server instanceof createSecureServer ? "https" : "http"}://${host}:${port}`;
  Configuration.store([["OUTBOUND_ALLOWED_ORIGINS", `https://other.example, ${origin}`]]);
  return {
    origin,
    [Symbol.asyncDispose]: async () => {
      server.close();
      if ("closeAllConnections" in server) (server as ReturnType<typeof createServer>).closeAllConnections();
      await once(server, "close");
    },
  };
}

describe("an address", () => {
  test("is public if the internet routes it", () => {
    for (const address of ["1.1.1.1", "93.184.215.14", "172.15.0.1", "172.32.0.1", "223.255.255.255"])
      assert.ok(isPublicAddress(address), address);
    for (const address of ["2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "2001:200::1"])
      assert.ok(isPublicAddress(address), address);
  });

  test("is not public if it belongs to this machine, a local network or no network", () => {
    const ipv4 = `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
      192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
      239.255.255.250 240.0.0.1 255.255.255.255`;
    const local = ":: ::1 fe80::1 fe80::1%eth0 2606:4700::1%eth0 fec0::1 fc00::1 fd12:3456::1 ff02::1";
    // IPv4-mapped, IPv4-compatible, NAT64, 6to4 and Teredo.
    const withIpv4 = `::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1::1
      2001:0:4136:e378:8000:63bf:3fff:fdd2`;
    const special = "2001:db8::1 3fff::1 100::1 5f00::1";
    for (const address of [...[ipv4, local, withIpv4, special].join(" ").split(/\s+/), "localhost", ""])
      assert.ok(!isPublicAddress(address), address);
  });
});

describe("a URL", () => {
  const problems: Readonly<Record<string, readonly string[]>> = {
    "must begin with https://": ["http://example.com/", "ftp://example.com", "file:///etc/passwd", "javascript:1"],
    "must not contain a user name or a password": ["https://ada@example.com", "https://:secret@example.com"],
    "is invalid: write one such as https://example.com/events": ["", "example.com", "https://", "https://[::1", "//a"],
    "must have a public host": [
      "https://localhost/ https://a.localhost https://127.0.0.1 https://[::1]/ https://10.0.0.1:8443",
      "https://2130706433 https://0x7f.1 https://0177.0.0.1 https://127.1 https://0 https://①②⑦.0.0.1",
      "https://[::ffff:127.0.0.1] https://[::ffff:a9fe:a9fe] https://[64:ff9b::a00:1]",
    ].flatMap((urls) => urls.split(" ")),
  };
  for (const [problem, urls] of Object.entries(problems)) {
    test(problem, async () => {
      for (const url of urls) {
        assert.equal(Outbound.findUrlProblem(url), problem, url);
        await assert.rejects(Outbound.fetch(url), { code: "E_OUTBOUND_URL", message: `The URL ${problem}.` }, url);
      }
    });
  }

  test("may have any public host, port and path", () => {
    for (const url of [
      "https://example.com",
      "https://example.com:8443/a?b#c",
      "https://1.1.1.1",
      "https://[2606:4700::1]",
    ])
      assert.equal(Outbound.findUrlProblem(url), undefined, url);
  });

  test("is free to name an origin that the configuration allows, and no other", () => {
    Configuration.store([["OUTBOUND_ALLOWED_ORIGINS", "http://localhost:4000, http://10.0.0.1"]]);
    for (const url of ["http://localhost:4000/hook", "http://10.0.0.1/"])
      assert.equal(Outbound.findUrlProblem(url), undefined, url);
    const others = `http://localhost:4001/ https://localhost:4000 http://ada@localhost:4000 http://10.0.0.1:81
      blob:http://localhost:4000/1`;
    for (const url of others.split(/\s+/)) assert.notEqual(Outbound.findUrlProblem(url), undefined, url);
    for (const list of ["http://localhost:4000/hook", "http://localhost:4000,http://a/b", "localhost"]) {
      Configuration.store([["OUTBOUND_ALLOWED_ORIGINS", list]]);
      assert.throws(() => Outbound.findUrlProblem("http://localhost:4000"), { code: "E_CONFIGURATION_INVALID" }, list);
    }
  });
});

describe("a name", () => {
  test("is refused if one of its addresses is not public, or it has none", async (t) => {
    const cases = [["10.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::1"], ["2606:4700::1", "fd00::1"], []];
    const names = answerNames(t, ...cases);
    for (const _ of cases)
      await assert.rejects(Outbound.fetch("https://rebind.example/"), { code: "E_OUTBOUND_ADDRESS", status: 422 });
    assert.deepEqual(names, Array(cases.length).fill("rebind.example"));
  });

  test("is connected to if all of its addresses are public", async (t) => {
    answerNames(t, ["93.184.215.14", "2606:4700::1"]);
    const guard = forbidOutboundRequests();
    await assert.rejects(Outbound.fetch("https://feeds.example/"), { code: "E_OUTBOUND_UNAVAILABLE" });
    assert.throws(() => guard[Symbol.dispose](), /feeds\.example:443/);
  });

  test("is resolved once, and the connection goes to the address that was checked", async (t) => {
    let host: string | undefined;
    await using server = await serve((request, response) => {
      host = request.headers.host;
      response.end("checked");
    }, "shop.example");
    // A second answer would lead to an address where nothing listens.
    const names = answerNames(t, ["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"]);
    t.after(() => setDefaultAutoSelectFamily(true));
    for (const triesAllAddresses of [true, false]) {
      setDefaultAutoSelectFamily(triesAllAddresses);
      const response = await Outbound.fetch(`${server.origin}/a`);
      assert.equal(await response.text(), "checked");
    }
    assert.deepEqual([names, host], [["shop.example", "shop.example"], new URL(server.origin).host]);
  });
});

describe("a request", () => {
  test("sends method, headers and body, and returns status, headers and body", async () => {
    await using server = await serve(async (request, response) => {
      const chunks = await request.toArray();
      const { method, url, headers } = request;
      response.writeHead(422, { "x-answer": ["a", "b"], "set-cookie": ["c=1", "d=2"] });
      response.end(
        JSON.stringify({ method, url, type: headers["x-type"], cookie: headers.cookie, body: chunks.join("") }),
      );
    });
    const options = { method: "POST", headers: { "X-Type": "t" }, body: "ü" };
    const response = await Outbound.fetch(new URL("/a?b=c", server.origin), options);
    assert.deepEqual([response.status, response.ok, response.headers.get("x-answer")], [422, false, "a, b"]);
    assert.deepEqual(response.headers.getSetCookie(), ["c=1", "d=2"]);
    assert.deepEqual(await response.json(), { method: "POST", url: "/a?b=c", type: "t", body: "ü" });
    assert.deepEqual(await (await Outbound.fetch(server.origin)).json(), { method: "GET", url: "/", body: "" });
  });

  test("follows no redirect", async () => {
    let count = 0;
    await using server = await serve((_, response) => {
      count += 1;
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end();
    });
    const response = await Outbound.fetch(server.origin);
    assert.deepEqual([response.status, count], [302, 1]);
  });

  test("reads at most maxBytes", async () => {
    await using server = await serve((_, response) => {
      // Never ends: the client has to.
      const send = (): boolean => response.write("x".repeat(1000)) && setImmediate(send) !== undefined;
      response.on("drain", send);
      send();
    });
    await assert.rejects(Outbound.fetch(server.origin, { maxBytes: 10_000 }), { code: "E_OUTBOUND_SIZE", status: 502 });
    const response = await Outbound.fetch(server.origin, { maxBytes: 10_000, truncate: true });
    assert.equal((await response.arrayBuffer()).byteLength, 10_000);
  });

  test("keeps one buffer, however small the chunks of the body are", async (t) => {
    let sending: ServerResponse | undefined;
    await using server = await serve((_, response) => {
      sending = response;
      response.write("x");
    });
    let received = 0;
    const buffers: number[] = [];
    const onResponse = (event: unknown): void => {
      const { response } = event as { readonly response: IncomingMessage };
      // Paused, so that `data` only observes what the function reads.
      response
        .on("readable", () => {})
        .on("data", () => {
          received += 1;
          if (received % 1000 === 1) buffers.push(queryObjects(Buffer, { format: "count" }));
          if (received <= 1000) sending?.write("x");
          else sending?.end("y");
        });
    };
    subscribe("http.client.response.finish", onResponse);
    t.after(() => unsubscribe("http.client.response.finish", onResponse));
    const response = await Outbound.fetch(server.origin, { maxBytes: 10_000 });
    assert.equal(await response.text(), `${"x".repeat(1001)}y`);
    const [before = 0, after = Infinity] = buffers;
    assert.ok(after - before < 100, `${after - before} more buffers`);
  });

  test("accepts a body of maxBytes, which is not compressed", async () => {
    await using server = await serve((request, response) => response.end(request.headers["accept-encoding"]));
    assert.equal(await (await Outbound.fetch(server.origin, { maxBytes: 8 })).text(), "identity");
    await assert.rejects(Outbound.fetch(server.origin, { maxBytes: 7 }), { code: "E_OUTBOUND_SIZE" });
  });

  test("returns responses without a body, and fails for statuses without a meaning", async () => {
    await using server = await serve((request, response) => response.writeHead(Number(request.url?.slice(1))).end());
    for (const status of [204, 205, 304])
      assert.equal((await Outbound.fetch(`${server.origin}/${status}`)).status, status);
    await assert.rejects(Outbound.fetch(`${server.origin}/999`), { code: "E_OUTBOUND_UNAVAILABLE" });
  });

  test("ends after timeoutMs, also while the body arrives, and when its signal aborts", async () => {
    const closed: Promise<unknown>[] = [];
    let received = Promise.withResolvers<void>();
    await using server = await serve((request, response) => {
      closed.push(once(response, "close"));
      if (request.url === "/slow") response.write("x");
      received.resolve();
    });
    for (const path of ["/silent", "/slow"]) {
      using clock = fakeClock();
      received = Promise.withResolvers();
      const outcome = assert.rejects(Outbound.fetch(server.origin + path, { timeoutMs: 500 }), {
        code: "E_OUTBOUND_UNAVAILABLE",
        message: /it took longer than 500ms/,
      });
      await received.promise;
      await clock.advance(500);
      await outcome;
    }
    const controller = new AbortController();
    received = Promise.withResolvers();
    const outcome = assert.rejects(Outbound.fetch(server.origin, { signal: controller.signal }), /left/);
    await received.promise;
    controller.abort(new Error("left"));
    await outcome;
    // No connection stays open.
    await Promise.all(closed);
  });

  test("fails if nothing listens", async () => {
    const closed = await serve(() => {});
    await closed[Symbol.asyncDispose]();
    await assert.rejects(Outbound.fetch(closed.origin), { code: "E_OUTBOUND_UNAVAILABLE", message: /ECONNREFUSED/ });
  });

  test("is encrypted, for the name in the URL and not for the address", async (t) => {
    const secure = createSecureServer({ cert: certificate, key }, (request, response) => response.end("private"));
    await using server = await serve(() => {}, "localhost", secure);
    const origin = server.origin.replace("http:", "https:");
    const otherOrigin = origin.replace("localhost", "shop.example");
    Configuration.store([["OUTBOUND_ALLOWED_ORIGINS", `${origin},${otherOrigin}`]]);
    answerNames(t, ["127.0.0.1"]);
    await assert.rejects(Outbound.fetch(origin), { code: "E_OUTBOUND_UNAVAILABLE", message: /certificate/ });
    const trusted = getCACertificates();
    t.after(() => setDefaultCACertificates(trusted));
    setDefaultCACertificates([certificate]);
    assert.equal(await (await Outbound.fetch(origin)).text(), "private");
    await assert.rejects(Outbound.fetch(otherOrigin), { message: /altnames.*shop\.example/ });
  });
});
