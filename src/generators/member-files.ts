import { addItems } from "./add-items.ts";
import type { Model } from "./parse-model.ts";
import { printNames, withArticle } from "./print.ts";
import { type GeneratedFile, renderStub } from "../project/index.ts";
import type { FileEdit } from "./wire.ts";

/** Returns the service of the members of a model. */
export function memberServiceFile({ name: { singular, plural } }: Model): GeneratedFile {
  const words = withArticle(singular.words);
  const text = renderStub("members/members.ts", {
    model: singular.camel,
    column: `${singular.snake}_id`,
    manyWords: plural.words,
    relation: singular.snake,
    aWords: words,
    AWords: words.charAt(0).toUpperCase() + words.slice(1),
  });
  return { path: `app/domain/${singular.kebab}/members.ts`, text };
}

/** Returns the edit that keeps the last admin from deleting the account. */
export const deletionCheckEdit = ({ name: { singular } }: Model): FileEdit => {
  const check = `${singular.pascal}Members.checkDeletion`;
  return {
    path: "web/handler/account.ts",
    imports: [`import * as ${singular.pascal}Members from "../../app/domain/${singular.kebab}/members.ts";`],
    apply: addItems(/^const deletionChecks\b[^=\n]*=/m, check),
    snippet: `account.deleteAccount(current, password, { checks: [/* … */ ${check}] });`,
  };
};

/** Returns the view of the members of a model. */
export function memberViewFile({ name: { singular, plural } }: Model): GeneratedFile {
  const text = renderStub("members/view.ts", {
    members: printNames(
      "import",
      ["isAdmin", "type Member", "pending", "roles", "schema"],
      `../../app/domain/${singular.kebab}/members.ts`,
    ),
    file: singular.kebab,
    path: plural.kebab,
    manyWords: plural.words,
    model: singular.camel,
    column: `${singular.snake}_id`,
    relation: singular.snake,
    words: singular.words,
    parentPath: `\${request.prefix}/${plural.kebab}/\${request.params.${singular.camel}}`,
  });
  return { path: `web/view/${singular.kebab}-member.ts`, text };
}

/** Returns the routes and the tests of the pages of members. */
export function memberPageFiles({ name: { singular, plural } }: Model): readonly GeneratedFile[] {
  const names = { Model: singular.pascal, model: singular.camel, file: singular.kebab, path: plural.kebab };
  const routes = renderStub("members/routes.ts", {
    ...names,
    column: `${singular.snake}_id`,
    manyWords: plural.words,
  });
  return [
    { path: `routes/${singular.kebab}-member.ts`, text: routes },
    {
      path: `test/${singular.kebab}-member.test.ts`,
      text: renderStub("members/test.ts", { ...names, aWords: withArticle(singular.words) }),
    },
  ];
}
