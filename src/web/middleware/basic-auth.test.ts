import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Ask, isolate, serve } from "../application/fetch.test.ts";
import { service } from "../application/service.ts";
import { Response } from "../../http/message/response.ts";
import { choose, get } from "../../http/router/route.ts";
import { basicAuth, type BasicAuthOptions } from "./basic-auth.ts";

isolate();

const fixed: BasicAuthOptions = { verify: { username: "admin", password: "p:ä ss" } };
const site = (options: BasicAuthOptions): Ask => serve([basicAuth(options)], () => Response.text("in"));
const encode = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

async function statusOf(authorization: string | undefined, options = fixed): Promise<number> {
  return (await site(options)("/", { headers: authorization === undefined ? {} : { authorization } })).status;
}

describe("basic authentication", () => {
  test("accepts the right name and password, with colons in the password", async () => {
    assert.equal(await statusOf(encode("admin:p:ä ss")), 200);
    assert.equal(await statusOf(encode("admin:p:ä ss").replace("Basic", "bAsIc ")), 200);
  });

  test("challenges other requests", async () => {
    const response = await site({ ...fixed, realm: 'The "back" office' })("/");
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("www-authenticate"), 'Basic realm="The \\"back\\" office", charset="UTF-8"');
  });

  const wrong = [
    undefined,
    "",
    "Basic",
    "Basic ",
    "Basic !!!",
    encode("admin"),
    encode("admin:"),
    encode(":p:ä ss"),
    encode(":"),
    encode("Admin:p:ä ss"),
    encode("admin:p:ä ss "),
    encode("admin:p:ä s"),
    `Bearer ${Buffer.from("admin:p:ä ss").toString("base64")}`,
    `${encode("admin:p:ä ss")} x`,
    `${encode("a:b")}, ${encode("admin:p:ä ss")}`,
    `Basic ${"A".repeat(8000)}`,
  ];
  for (const given of wrong) {
    test(`refuses ${JSON.stringify(given?.slice(0, 40))}`, async () => assert.equal(await statusOf(given), 401));
  }

  test("can verify with an asynchronous function", async () => {
    const verify = async (username: string, password: string): Promise<boolean> => {
      await Promise.resolve();
      return username === "a" && password === "b";
    };
    assert.equal(await statusOf(encode("a:b"), { verify }), 200);
    assert.equal(await statusOf(encode("a:c"), { verify }), 401);
  });
});

test("the application's error page shows the refusal", async () => {
  const { fetch } = service({
    router: choose([get("/", () => Response.text(""))], { middlewares: [basicAuth({ verify: () => false })] }),
    errorPage: (_request, { status, code }) => Response.text(`Own page: ${code}`, { status }),
  });
  const response = await fetch(new globalThis.Request("http://localhost/"));
  assert.deepEqual([response.status, await response.text()], [401, "Own page: E_BASIC_AUTH"]);
  assert.match(response.headers.get("www-authenticate") ?? "", /^Basic realm=/);
});
