import assert from "node:assert/strict";
import { test } from "node:test";
import { exports, removed, type Rename } from "./rename.ts";
import { renameExports } from "./rename-exports.ts";

const renames = [
  exports("database", ["limmat/database"], { isTaken: "isUniqueViolation", Clash: "UniqueViolation" }),
  exports("web", ["limmat:Web", "limmat/web"], {
    compose: "limmat/http#compose",
    byAddress: "RequestLimit.byAddress",
    "Session.reserved": "Session.findReserved",
  }),
  exports("application", ["limmat"], {
    "Context.find": "Context.get",
    "Service.ConfigurationField": "Configuration.Field",
    Environment: "Configuration.Environment",
  }),
  removed("schema", ["limmat"], ["Form.empty"], "`[]`"),
]
  .flatMap((row) => row.renames)
  .filter((rename): rename is Extract<Rename, { readonly kind: "export" }> => rename.kind === "export");

const rename = (code: string, path = "app.ts"): string => renameExports(code, path, renames).text;

test("renames an imported name and its uses", () => {
  const code = `import { isTaken, type Clash } from "limmat/database";
if (isTaken(error)) log(\`\${isTaken(error)} isTaken\`);
const clash: Clash | undefined = found.isTaken;
`;
  const { text, renamed } = renameExports(code, "app.ts", renames);
  assert.equal(
    text,
    `import { isUniqueViolation, type UniqueViolation } from "limmat/database";
if (isUniqueViolation(error)) log(\`\${isUniqueViolation(error)} isTaken\`);
const clash: UniqueViolation | undefined = found.isTaken;
`,
  );
  assert.deepEqual(renamed, [
    { line: 1, message: "isTaken → isUniqueViolation" },
    { line: 1, message: "Clash → UniqueViolation" },
  ]);
});

test("keeps strings, comments, properties, regular expressions and other modules", () => {
  const rest = `
// isTaken
/* Clash */
const text = "isTaken" + 'isTaken' + /isTaken/.source;
const row = { isTaken: 1 };
row.isTaken;
`;
  const own = `import { isTaken } from "./own.ts";${rest}`;
  assert.equal(rename(own), own);
  const code = `import { isTaken } from "limmat/database";${rest}isTaken;\n`;
  assert.equal(rename(code), `import { isUniqueViolation } from "limmat/database";${rest}isUniqueViolation;\n`);
});

test("keeps the local name where it could be another one", () => {
  for (const use of [
    "export { isTaken };",
    "const methods = { isTaken };",
    "const check = (isTaken: boolean) => isTaken;",
    "const check = isTaken => isTaken;",
    "const check = (a, isTaken) => isTaken;",
    "const { isTaken } = other;",
    "function isTaken() {}",
    "const isUniqueViolation = 1;",
    "function check(isTaken) { return isTaken(1); }",
    "function check(a, { isTaken }) { return isTaken(1); }",
    "const check = { check(isTaken) { return isTaken(1); } };",
    "const { a: isTaken } = other;",
    "const { a: { b: [isTaken] } }: Other = other;",
    "for (const { a: isTaken } of others) isTaken(1);",
    "try {} catch (isTaken) { isTaken(1); }",
    "function f() { let a: string, isTaken: string; }",
    "class Row { isTaken = 1; }",
    "class Row { isTaken; }",
    "enum State { isTaken = 1 }",
    "export { isTaken as default };",
    "class Row {\n  isTaken?(): void;\n}",
    "class Row {\n  @decorated\n  isTaken;\n}",
    "abstract class Row extends Base<{ a: 1 }> { isTaken(); isTaken(a); }",
    "class Row { constructor(@decorated() isTaken: string) {} }",
    "declare function f(isTaken);",
    "type Of = { [isTaken in Keys]: 1 };",
    "const f = (x: isTaken) => function* isTaken() {};",
  ]) {
    assert.equal(
      rename(`import { isTaken } from "limmat/database";\n${use}\n`),
      `import { isUniqueViolation as isTaken } from "limmat/database";\n${use}\n`,
    );
  }
  assert.equal(
    rename(`import { isTaken as taken } from "limmat/database";\ntaken(1);\n`),
    `import { isUniqueViolation as taken } from "limmat/database";\ntaken(1);\n`,
  );
});

test("keeps names of properties, methods and labels", () => {
  for (const rest of [
    "const methods = { isTaken(error) { return 1; }, async isTaken<T>(error: T): Promise<void> {} };",
    "class Row { static isTaken(): void {} get isTaken() { return 1; } readonly isTaken: boolean; #isTaken = 1; }",
    "interface Row {\n  a: string\n  isTaken: boolean\n  isTaken(): boolean\n  isTaken?: boolean\n}",
    "isTaken: for (;;) break isTaken;",
    "interface Row {\n  a(): void\n  isTaken(): void\n}",
    "class Row { isTaken!: boolean; @decorated() isTaken: string }",
    "type Pair = [isTaken: string, ...isTaken?: string[]];",
    'export * as isTaken from "./own.ts";',
    'export { isTaken } from "./own.ts";',
  ]) {
    assert.equal(
      rename(`import { isTaken } from "limmat/database";\n${rest}\nok ? isTaken(1) : isTaken(2);\n`),
      `import { isUniqueViolation } from "limmat/database";\n${rest}\nok ? isUniqueViolation(1) : isUniqueViolation(2);\n`,
    );
  }
});

test("leaves members of a name that the program declares again, and reports them", () => {
  for (const shadow of [
    "function f(Context) {}",
    "const f = ({ Context }) => 1;",
    "const { a: Context } = other;",
    "try {} catch (Context) {}",
    "class Row { Context = 1; }",
  ]) {
    const code = `import { Context } from "limmat";\n${shadow}\nContext.find(1);\n`;
    const { text, remaining } = renameExports(code, "app.ts", renames);
    assert.deepEqual([text, remaining.map(({ line }) => line)], [code, [3]], shadow);
  }
  for (const shadow of [
    "function f<Environment>(x: Environment) {}",
    "const f = <Environment,>(x: Environment) => x;",
    "type Of<Environment> = Environment[];",
    "type Of<A = {}, B extends { a: 1; } = {}, Environment extends A = A> = Environment[];",
    "class Row { constructor(readonly Environment: string) {} }",
    "export type { Environment };",
  ]) {
    const code = `import type { Environment } from "limmat";\n${shadow}\n`;
    assert.equal(rename(code), code);
  }
});

test("renames re-exports without changing what the program exports, and reports other imports", () => {
  assert.equal(
    rename(`export { isTaken, type Clash as Other } from "limmat/database";\n`),
    `export { isUniqueViolation as isTaken, type UniqueViolation as Other } from "limmat/database";\n`,
  );
  for (const code of [
    `const { isTaken } = await import("limmat/database");\n`,
    `const { isTaken } = require("limmat/database");\n`,
    `type Clash = import("limmat/database").Clash;\n`,
  ]) {
    const { text, remaining } = renameExports(code, "app.ts", renames);
    assert.deepEqual([text, remaining.length], [code, 1]);
  }
});

test("imports a name once that was imported by its new name already", () => {
  assert.equal(
    rename(`import { isTaken, isUniqueViolation } from "limmat/database";\nisTaken(1) || isUniqueViolation(2);\n`),
    `import { isUniqueViolation } from "limmat/database";\nisUniqueViolation(1) || isUniqueViolation(2);\n`,
  );
  assert.equal(
    rename(
      `import { isUniqueViolation } from "limmat/database";\nimport { isTaken } from "limmat/database";\nisTaken(1);\n`,
    ),
    `import { isUniqueViolation } from "limmat/database";\nisUniqueViolation(1);\n`,
  );
  const typeOnly = `import type { Configuration } from "limmat";\nimport { Environment } from "limmat";\nlet e: Environment;\n`;
  assert.equal(rename(typeOnly), typeOnly);
});

test("keeps line ends of Windows", () => {
  assert.equal(
    rename(`import { Web } from "limmat";\r\n\r\nWeb.compose(1);\r\n`),
    `import { compose } from "limmat/http";\r\n\r\ncompose(1);\r\n`,
  );
});

test("renames members of a namespace, by both of its imports", () => {
  assert.equal(
    rename(`import { Context, Web as W } from "limmat";
Context.find(ctx);
Context
  .find(ctx);
W.byAddress();
W?.Session.reserved(request);
W!.byAddress();
own.Context.find(ctx);
`),
    `import { Context, Web as W } from "limmat";
Context.get(ctx);
Context
  .get(ctx);
W.RequestLimit.byAddress();
W?.Session.findReserved(request);
W!.RequestLimit.byAddress();
own.Context.find(ctx);
`,
  );
  assert.equal(
    rename(`import * as Web from "limmat/web";\nWeb.byAddress();\n`),
    `import * as Web from "limmat/web";\nWeb.RequestLimit.byAddress();\n`,
  );
  assert.equal(
    rename(`import { Session } from "limmat/web";\nSession.reserved(request);\n`),
    `import { Session } from "limmat/web";\nSession.findReserved(request);\n`,
  );
});

test("adds an import after the attributes of the last one", () => {
  const code = `import { Web } from "limmat";\nimport data from "./data.json" with { type: "json" };\nWeb.get(Web.compose(data));\n`;
  assert.equal(
    rename(code),
    code.replace(";\nWeb", `;\nimport { compose } from "limmat/http";\nWeb`).replace("Web.compose", "compose"),
  );
});

test("imports a name that has moved to another entry point or namespace", () => {
  assert.equal(
    rename(`import { Web } from "limmat";\nimport { x } from "./x.ts";\n\nWeb.compose(x);\n`),
    `import { x } from "./x.ts";\nimport { compose } from "limmat/http";\n\ncompose(x);\n`,
  );
  assert.equal(
    rename(`import { Web } from "limmat";\n\nWeb.compose(Web.get("/"));\n`),
    `import { Web } from "limmat";\nimport { compose } from "limmat/http";\n\ncompose(Web.get("/"));\n`,
  );
  assert.equal(
    rename(
      `import { type Environment, Service } from "limmat";\nconst field: Service.ConfigurationField<Environment>;\n`,
    ),
    `import { Service } from "limmat";\nimport { Configuration } from "limmat";\nconst field: Configuration.Field<Configuration.Environment>;\n`.replace(
      `import { Service } from "limmat";\nimport { Configuration } from "limmat";`,
      `import { Configuration } from "limmat";`,
    ),
  );
});

test("reports names that are gone, and names that it cannot replace", () => {
  const code = `import { Form, Web } from "limmat";
const form = Form.empty;
const compose = 1;
Web.compose(form);
`;
  assert.deepEqual(renameExports(code, "app.ts", renames), {
    text: code,
    renamed: [],
    remaining: [
      { line: 2, message: "Form.empty of limmat is gone: []" },
      { line: 4, message: "Web.compose of limmat is gone: use compose of limmat/http" },
    ],
  });
});

test("renames references in JSX, but no text, attribute or element of HTML", () => {
  assert.equal(
    rename(
      `import { Web } from "limmat/web";
import { isTaken, Clash } from "limmat/database";
const page = (
  <Clash isTaken isTaken={isTaken(1)} {...isTaken} a='isTaken "' isTaken>
    Don't call \`isTaken, or (isTaken) / {isTaken ? <Clash.isTaken<Clash> /> : <></>} <isTaken title={<Clash />}>isTaken();</isTaken>
  </Clash>
);
const first = <Clash,>(x: Clash) => <b>it's</b>;
isTaken(2);
`,
      "page.tsx",
    ),
    `import { Web } from "limmat/web";
import { isUniqueViolation, UniqueViolation as Clash } from "limmat/database";
const page = (
  <Clash isTaken isTaken={isUniqueViolation(1)} {...isUniqueViolation} a='isTaken "' isTaken>
    Don't call \`isTaken, or (isTaken) / {isUniqueViolation ? <Clash.isTaken<Clash> /> : <></>} <isTaken title={<Clash />}>isTaken();</isTaken>
  </Clash>
);
const first = <Clash,>(x: Clash) => <b>it's</b>;
isUniqueViolation(2);
`,
  );
  assert.equal(
    rename(
      `import { Clash } from "limmat/database";\ntype F = <T>(x: T) => 1;\nconst a = <Clash />, b = (x: Clash) => <Clash>Clash</Clash>;\n`,
      "a.tsx",
    ),
    `import { UniqueViolation } from "limmat/database";\ntype F = <T>(x: T) => 1;\nconst a = <UniqueViolation />, b = (x: UniqueViolation) => <UniqueViolation>Clash</UniqueViolation>;\n`,
  );
  // In a file without JSX, it is a type.
  assert.equal(
    rename(`import { type Clash, isTaken } from "limmat/database";\nconst a = <Clash>isTaken(1);\n`),
    `import { type UniqueViolation, isUniqueViolation } from "limmat/database";\nconst a = <UniqueViolation>isUniqueViolation(1);\n`,
  );
  // In lower case it would be an element of HTML.
  const lower = exports("a", ["a"], { Link: "link", "Html.Link": "Html.link", "Html.Box": "a/b#box" }).renames;
  assert.equal(
    renameExports(
      `import { Html, Link } from "a";\n<Link><Html.Link /><Html.Box /></Link>;\n`,
      "a.jsx",
      lower as typeof renames,
    ).text,
    `import { Html, link as Link } from "a";\n<Link><Html.link /><Html.Box /></Link>;\n`,
  );
});

test("reads nested templates, generics and unbalanced text", () => {
  const code = `import { Context } from "limmat";
const text = \`\${rows.map((row) => \`\${Context.find(row)} Context.find \${{ a: 1 }}\`)} Context.find\`;
const half = a / Context.find(b) / c;
`;
  assert.equal(
    rename(code),
    `import { Context } from "limmat";
const text = \`\${rows.map((row) => \`\${Context.get(row)} Context.find \${{ a: 1 }}\`)} Context.find\`;
const half = a / Context.get(b) / c;
`,
  );
  for (const broken of ['import { Context } from "limmat"; ) } ]', 'import { Context from "limmat', "import {", "`${"])
    assert.deepEqual([rename(broken), rename(broken, "a.jsx")], [broken, broken]);
  for (const broken of ["<p>", "<p", "<p a={", "<p a='", "<p>{", "<p></b>", "<a<b", "<", "<></", "<a.", "<p {"]) {
    const text = `import { isTaken } from "limmat/database";\n${broken}`;
    assert.equal(rename(text, "a.tsx"), text.replace("isTaken", "isUniqueViolation"));
  }
});
