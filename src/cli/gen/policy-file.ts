import type { Model } from "./parse-model.ts";
import { printList, printNames, withArticle } from "./print.ts";
import { renderStub } from "./stub.ts";
import type { GeneratedFile } from "./write-files.ts";

/** True if only some users see the entries of a model. */
export const isGuarded = ({ hasOwner, hasMembers }: Model): boolean => hasOwner || hasMembers;

/** True if a model has a table of its own members. */
export const hasMemberTable = ({ hasMembers, parent }: Model): boolean => hasMembers && parent === undefined;

/** Returns the policy of a model and its test; none for a model that everybody sees. */
export function policyFiles(model: Model): readonly GeneratedFile[] {
  if (!isGuarded(model)) return [];
  const { kebab } = model.name.singular;
  return [
    { path: `app/domain/${kebab}/policy.ts`, text: policyText(model) },
    { path: `test/${kebab}-policy.test.ts`, text: policyTestText(model) },
  ];
}

function policyText(model: Model): string {
  const { name, parent, hasMembers, hasOwner } = model;
  const { singular, plural } = name;
  const parentPolicy = hasMembers && parent !== undefined;
  const tables = [
    ...(hasMemberTable(model) ? [`${singular.camel}Members`] : []),
    ...(hasMemberTable(model) && !hasOwner ? [] : [plural.camel]),
  ];
  return renderStub("model/policy.ts", {
    manyWords: plural.words,
    aWords: withArticle(singular.words),
    imports: [
      'import { Context, type ContextOptions } from "limmat";',
      ...(hasMemberTable(model) ? ['import { sql, type SqlPart } from "limmat/database";'] : []),
      'import { database } from "../../../service/service.ts";',
      ...(parentPolicy ? [`import * as ${parent.singular.pascal} from "../${parent.singular.kebab}/policy.ts";`] : []),
      printNames("import", tables, "./entity.ts"),
    ].join("\n"),
    role: parentPolicy
      ? `export type Role = ${parent.singular.pascal}.Role;`
      : 'export type Role = "admin" | "member";',
    roleOf: roleOf(model),
    mayChange: mayChange(model),
    list: listFunction(model),
  });
}

function roleOf({ name: { singular, plural }, parent, hasMembers }: Model): string {
  if (!hasMembers)
    return `return (await ${plural.camel}.exists(database, { id, owner_id: user_id })) ? "admin" : undefined;`;
  if (parent === undefined) {
    return [
      `const ids = { ${singular.snake}_id: id, user_id };`,
      `const membership = await ${singular.camel}Members.findOpt(database, ids);`,
      "return membership?.role;",
    ].join("\n");
  }
  return [
    `const item = await ${plural.camel}.findOpt(database, id);`,
    `return item && ${parent.singular.pascal}.roleOf(item.${parent.singular.snake}_id, user_id);`,
  ].join("\n");
}

function mayChange({ name: { plural }, parent, hasMembers, hasOwner }: Model): string {
  if (hasMembers && hasOwner) {
    return [
      "const role = await roleOf(id, user_id);",
      'if (role === undefined || role === "admin") return role === "admin";',
      `return ${plural.camel}.exists(database, { id, owner_id: user_id });`,
    ].join("\n");
  }
  return hasMembers && parent !== undefined
    ? "return (await roleOf(id, user_id)) !== undefined;"
    : 'return (await roleOf(id, user_id)) === "admin";';
}

/** Returns the function for lists and new entries: a condition, or the right to use the parent. */
function listFunction({ name: { singular, plural }, parent, hasMembers }: Model): string {
  if (!hasMembers) return "";
  if (parent === undefined) {
    return [
      "",
      `/** Returns the condition of the ${plural.words} that a user sees. */`,
      "export function visibleTo(user_id: string): SqlPart {",
      `  return sql\`id in (select ${singular.snake}_id from ${singular.snake}_members where user_id = \${user_id})\`;`,
      "}",
    ].join("\n");
  }
  return [
    "",
    `/** Returns true if a user sees the ${plural.words} of ${withArticle(parent.singular.words)}, and may add one. */`,
    "export async function maySeeList(parent_id: string, user_id: string): Promise<boolean> {",
    `  return (await ${parent.singular.pascal}.roleOf(parent_id, user_id)) !== undefined;`,
    "}",
  ].join("\n");
}

function policyTestText(model: Model): string {
  const { name, hasMembers, hasOwner, parent, canJoin } = model;
  const { singular } = name;
  const row = (role: string, see: boolean, change: boolean): string => `${role}: { see: ${see}, change: ${change} },`;
  const options = `${singular.pascal}.${parent === undefined ? "Options" : "ListOptions"}`;
  const hasJoin = hasMemberTable(model) || canJoin;
  const memberChanges = hasMembers && parent !== undefined && !hasOwner;
  return renderStub("model/policy-test.ts", {
    Model: singular.pascal,
    file: singular.kebab,
    aWords: withArticle(singular.words),
    optionsOf: printList(
      ["role: string", `${hasJoin ? "{ id }" : "_"}: ${singular.pascal}.${singular.pascal}`, `context: ${options}`],
      {
        open: "(",
        close: ")",
        before: "async function optionsOf",
        after: `: Promise<${options}> {`,
      },
    ),
    permissions: [
      row("creator", true, true),
      ...(hasJoin ? [row("admin", true, true), row("member", true, memberChanges)] : []),
      row("stranger", false, false),
    ].join("\n"),
    join: hasJoin
      ? ["admin", "member"].map((role) => `${role}: () => ${singular.pascal}Factory.join(id, "${role}"),`).join("\n")
      : "",
  });
}
