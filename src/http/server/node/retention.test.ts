import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { App, Configuration, Web } from "limmat";
import { waitFor } from "limmat/testing";
import { isBun } from "../load-host.ts";

const onNode = { skip: isBun && "the keep-alive timer is one of node:http" };
test("an idle connection keeps nothing of its last request in memory", onNode, async (t) => {
  Configuration.store([
    ["PORT", "0"],
    ["LOG_LEVEL", "error"],
  ]);
  const requests: WeakRef<Web.Request>[] = [];
  const page = Web.get("/", (request) => {
    requests.push(new WeakRef(request));
    return Web.Response.text("a page");
  });
  const http = Web.Http.service({ router: Web.choose([page], { middlewares: Web.Middleware.site() }) });
  const app = App.create({ services: [http] });
  await app.start();
  t.after(() => app.stop());
  const { port } = http.address() as { readonly port: number };
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  for (let count = 1; count <= 3; count++) {
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [bytes] = (await once(socket, "data")) as [Buffer];
    assert.match(bytes.toString(), /^HTTP\/1\.1 200 [^]*a page$/);
  }
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  // The end of the response still runs when its bytes have arrived.
  await waitFor(() => {
    collectGarbage();
    return requests.every((request) => request.deref() === undefined);
  }, t);
  assert.equal(requests.length, 3);
  assert.equal(socket.readyState, "open");
});
