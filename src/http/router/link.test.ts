import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Request } from "../message/request.ts";
import { FetchSource } from "../message/fetch-request.ts";
import { defaultServerContext } from "../message/request-source.ts";
import { Response } from "../message/response.ts";
import { type Link, link, pathsByName } from "./link.ts";
import { choose, get, post, type Router } from "./route.ts";

const readMonth = (text: string): string | undefined => (/^(?:[1-9]|1[0-2])$/.test(text) ? text : undefined);
const answer = (): Response => Response.text("");
const others: readonly Router[] = [get("/others", answer, { name: "others" })];
const router = choose([
  get("/", answer, { name: "home" }),
  choose([get("/todos/:id", answer, { name: "todo" }), post("/todos", answer)], { scope: "/:tenant" }),
  get("/docs/:page?", answer, { name: "docs" }),
  get("/posts/:year?/:month?", answer, { name: "posts" }),
  get("/years/:year?/months/:month?", answer, { name: "months" }),
  get("/files/*path", answer, { name: "file" }),
  get("/größe", answer, { name: "size" }),
  get("/v1:sync", answer, { name: "sync" }),
  get("/orders/:number<int>/:page<int>?", answer, { name: "order" }),
  get("/archive/:month<month>", answer, { name: "archive", matchers: { month: readMonth } }),
  ...others,
]);
const typed: Link<typeof router> = link;

const requestAt = (prefix: string): Request =>
  Request.fromSource(
    new FetchSource(new globalThis.Request("http://localhost/"), {
      ...defaultServerContext,
      prefix,
      namedPaths: pathsByName(router.routes),
    }),
  );

describe("a link", () => {
  const request = requestAt("");

  test("fills in and encodes the parameters", () => {
    assert.equal(typed(request, "home"), "/");
    assert.equal(typed(request, "todo", { tenant: "acme", id: "a b?ü" }), "/acme/todos/a%20b%3F%C3%BC");
    assert.equal(typed(request, "file", { path: "a/b c" }), "/files/a/b%20c");
    assert.equal(typed(request, "size"), "/gr%C3%B6%C3%9Fe");
    assert.equal(typed(request, "sync"), "/v1%3Async");
  });

  test("refuses a parameter of another type", () => {
    assert.equal(typed(request, "order", { number: "7" }), "/orders/7");
    assert.equal(typed(request, "order", { number: "7", page: "2" }), "/orders/7/2");
    assert.equal(typed(request, "archive", { month: "12" }), "/archive/12");
    assert.throws(() => typed(request, "archive", { month: "13" }), { code: "E_LINK_PARAMETER" });
    for (const params of [{ number: "7x" }, { number: "" }, { number: "7", page: "-1" }]) {
      assert.throws(() => typed(request, "order", params), { code: "E_LINK_PARAMETER" });
    }
  });

  test("omits optional parameters", () => {
    assert.equal(typed(request, "posts", {}), "/posts");
    assert.equal(typed(request, "posts", { year: "26" }), "/posts/26");
    assert.equal(typed(request, "posts", { year: "26", month: "11" }), "/posts/26/11");
    assert.throws(() => typed(request, "posts", { month: "11" }), { code: "E_LINK_PARAMETER", message: /"year"/ });
    assert.equal(typed(request, "months", { month: "11" }), "/years/months/11");
    assert.equal(typed(request, "docs", {}), "/docs");
    assert.equal(typed(request, "docs", { page: "a" }), "/docs/a");
  });

  test("accepts a query", () => {
    assert.equal(typed(request, "home", {}, { a: "1 2", b: ["x", "y"], c: undefined, d: 3 }), "/?a=1+2&b=x&b=y&d=3");
  });

  test("begins with the prefix", () => {
    assert.equal(link(requestAt("/shop"), "home"), "/shop/");
    assert.equal(link(requestAt("/shop"), "docs"), "/shop/docs");
  });

  test("exists for the routes with a name", () => {
    assert.deepEqual(
      [...pathsByName(choose([get("/a", answer, { name: "a" }), get("/b", answer)]).routes)],
      [["a", { path: "/a", matchers: {} }]],
    );
  });

  test("to an unknown route, or with an invalid parameter, is an error", () => {
    assert.throws(() => link(request, "nothing"), { code: "E_LINK_UNKNOWN", message: /Route names: home, todo/ });
    const similar = {
      code: "E_LINK_UNKNOWN",
      message: /^No route has the name "tood"\. Did you mean "todo"\? Route names: /,
    };
    assert.throws(() => link(request, "tood"), similar);
    assert.throws(() => link(request, "todo", { id: "1" }), { code: "E_LINK_PARAMETER" });
    for (const id of ["", ".", "..", "a/b", "a\\b", "a\nb", "\ud800"]) {
      assert.throws(() => link(request, "todo", { tenant: "t", id }), { code: "E_LINK_PARAMETER" }, id);
    }
    for (const path of ["", "a//b", "../a"])
      assert.throws(() => link(request, "file", { path }), { code: "E_LINK_PARAMETER" });
  });

  test("is checked by the type checker", () => {
    const never = (): void => {
      // @ts-expect-error -- no such name
      typed(request, "nothing");
      // @ts-expect-error -- the parameters are missing
      typed(request, "todo");
      // @ts-expect-error -- one parameter is missing
      typed(request, "todo", { id: "1" });
      // @ts-expect-error -- no such parameter
      typed(request, "docs", { side: "1" });
      // @ts-expect-error -- names of type string are not checked
      typed(request, "others");
    };
    assert.equal(typeof never, "function");
  });
});

describe("path parameters", () => {
  test("are typed from the path", () => {
    get("/:id/x/:page?/*rest", ({ params }) => {
      const [id, rest]: string[] = [params.id, params.rest];
      const page: string | undefined = params.page;
      // @ts-expect-error -- no such parameter
      const other = params.other;
      return Response.json([id, rest, page, other]);
    });
    // A handler declares the parameters of its scope by type.
    get("/:id", ({ params }: Request<{ readonly tenant: string; readonly id: string }>) =>
      Response.text(params.tenant),
    );
    // @ts-expect-error -- the parameter is neither in the path nor declared as one of a scope
    get("/:id", ({ params }: Request<{ readonly id: number }>) => Response.text(String(params.id)));
  });
});
