// Parameters, bodies, content types, forms without a token, order and filter of lists.
import assert from "node:assert/strict";
import { Configuration } from "limmat";
import { keys } from "../hostile.ts";
import { canary } from "../demo.ts";
import { type Advisory, advisories, type Stand } from "./advisories.ts";

const form = "application/x-www-form-urlencoded";
const json = "application/json";

/** Parsed fields of a form or a query. */
async function readAs({ alice }: Stand, text: string): Promise<unknown> {
  const { status, body } = await alice.send("POST", "/api/form", text, form);
  const query = await alice.get(`/api/query?${text}`);
  assert.deepEqual([status, query.status], [200, 200], text);
  assert.deepEqual(JSON.parse(query.body), JSON.parse(body), text);
  return JSON.parse(body);
}

const rows: readonly Advisory[] = [
  [
    "CVE-2026-8161 (multiparty)",
    "a field of an upload called __proto__ ends the process",
    async ({ alice }) => {
      for (const name of ["__proto__", "constructor", "toString"]) {
        const body = `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n1\r\n--x--\r\n`;
        const { status } = await alice.send("POST", "/items", body, "multipart/form-data; boundary=x");
        assert.equal(status, 415, name);
      }
    },
  ],
  [
    "ef902257 (Hono), Adonis bodyparser 10.1.3, SvelteKit's names of objects",
    "a field called __proto__ changes the prototype of everything, or toString is found where nobody set it",
    async (stand) => {
      for (const name of keys) {
        const pair = new URLSearchParams([[name, "x"]]).toString();
        assert.deepEqual(await readAs(stand, pair), [[name, "x"]], name);
        const value = JSON.stringify({ [name]: { admin: true } }).replace('"__proto__"', '"__proto\\u005f_"');
        assert.equal((await stand.alice.send("POST", "/api/json", value)).status, 200, name);
        const { status } = await stand.alice.get(`/session/${encodeURIComponent(name.replaceAll(/[^\w]/g, "a"))}a`);
        assert.equal(status, 200);
      }
      assert.equal((await stand.alice.get("/session/toString")).body, '{"value":null}');
    },
  ],
  [
    "CVE-2025-15284, CVE-2026-2391 (qs)",
    "brackets and commas make more values than the limit of parameters allows",
    async (stand) => {
      const list = Array.from({ length: 1000 }, () => "a[]=1").join("&");
      assert.equal(((await readAs(stand, list)) as unknown[]).length, 1000);
      for (const one of ["&a[]=1", "&a[0]=1", "&b=1", "&"]) {
        assert.equal((await stand.alice.send("POST", "/api/form", list + one, form)).status, 400, one);
        assert.equal((await stand.alice.get(`/api/query?${list}${one}`)).status, 400, one);
      }
      const commas = `a=${"1,".repeat(5000)}`;
      assert.deepEqual(await readAs(stand, commas), [["a", commas.slice(2)]]);
    },
  ],
  [
    "CVE-2024-45590, CVE-2025-13466 (body-parser)",
    "a field in a thousand brackets becomes a thousand objects",
    async ({ alice }) => {
      const nested = `a${"[b]".repeat(1000)}`;
      const { body } = await alice.send("POST", "/api/form", `${nested}=1`, form);
      assert.deepEqual(JSON.parse(body), [[nested, "1"]]);
    },
  ],
  [
    "CVE-2025-59830 (Rack)",
    "a semicolon separates parameters as well, and is not counted",
    async (stand) => {
      assert.deepEqual(await readAs(stand, "a=1;b=2;c=3"), [["a", "1;b=2;c=3"]]);
      const many = Array.from({ length: 3000 }, () => "a=1").join(";");
      assert.deepEqual(await readAs(stand, many), [["a", many.slice(2)]]);
    },
  ],
  [
    "CVE-2025-32442, CVE-2026-25223, 67f6c9b32 (Fastify)",
    "a content type in an odd spelling is parsed but not validated",
    async ({ alice }) => {
      const spellings = [
        ..."application/json APPLICATION/JSON application/JSON; application/json;charset=utf-8 application/x+json".split(
          " ",
        ),
        ..."application/jsonx application/json,text/plain text/json application/vnd.api+json json */* application/*".split(
          " ",
        ),
        "application/json\t; charset=utf-8",
        "application/json ;a=b",
        "application/json\t",
        'application/json; a="',
        ";",
      ];
      for (const type of spellings) {
        for (const body of [
          '{"name":"","qty":1}',
          '{"name":"a","qty":-1}',
          '{"name":["a"],"qty":1}',
          '{"qty":1}',
          "[]",
        ]) {
          const { status } = await alice.send("POST", "/api/items", body, type);
          assert.ok([400, 415, 422].includes(status), `${type}: ${body}: ${status}`);
        }
      }
      assert.equal((await alice.get("/api/items")).body.includes('"total":0'), true);
    },
  ],
  [
    "CVE-2026-22030 (React Router), Hono's letter cases and missing types",
    "a form of another site is taken when its type or method is an odd one",
    async ({ ask, alice, demo }) => {
      const foreign = { Cookie: alice.cookie, Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
      const types = [
        form,
        form.toUpperCase(),
        "Text/Plain",
        `${form};charset=utf-8`,
        "multipart/form-data; boundary=x",
        json,
      ];
      for (const type of [...types, "", " ", undefined]) {
        for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
          for (const headers of [foreign, { Cookie: alice.cookie }]) {
            const given = type === undefined ? headers : { ...headers, "Content-Type": type };
            const { status } = await ask(`${method} /items`, given, "name=owned&qty=1&csrf=x");
            assert.ok([403, 405, 415].includes(status), `${method} ${type}: ${status}`);
          }
        }
      }
      assert.match(await demo.app.request("/api/items").then((response) => response.text()), /"total":0/);
    },
  ],
  [
    "CVE-2026-1287, CVE-2026-1312 (Django)",
    "the order of a list, or the name of a column, becomes SQL",
    async ({ alice }) => {
      for (const order of [
        "name",
        "-name",
        "id.name",
        "name desc",
        "asc, (select word from sentinels)",
        'a"."b',
        "asc)--",
      ]) {
        for (const name of ["sort", "filter", "limit", "offset", "order", "order_by", "fields"]) {
          const { status, body } = await alice.get(`/api/items?${name}=${encodeURIComponent(order)}`);
          assert.ok([200, 400].includes(status), `${name}=${order}`);
          if (name === "sort") assert.equal(status, 400, order);
          assert.ok(!body.includes(canary));
        }
      }
    },
  ],
  [
    "SvelteKit's check of forms, switched off by an odd NODE_ENV",
    "another variable than the one that counts, or CHECK_CSRF in production, switches the check off",
    async ({ ask }) => {
      const before = process.env["NODE_ENV"];
      Configuration.store([
        ["FRAMEWORK_ENV", "production"],
        ["CHECK_CSRF", "false"],
        ["FRAMEWORK_SECRET", "a secret that is for this test only, and long enough"],
      ]);
      try {
        for (const name of ["development", "test", "", "Production", "staging", "prod"]) {
          process.env["NODE_ENV"] = name;
          const { status } = await ask("POST /items", { "Content-Type": form }, "name=a&qty=1");
          assert.equal(status, 403, name);
        }
      } finally {
        if (before === undefined) delete process.env["NODE_ENV"];
        else process.env["NODE_ENV"] = before;
        Configuration.store([["FRAMEWORK_ENV", "test"]]);
      }
    },
  ],
];

advisories("flaws of parsers and forms that are none of ours", rows);
