import { needsInputOptions } from "./choices-code.ts";
import { type Model, refersToUsers } from "./parse-model.ts";
import { printList, printNames, withArticle } from "./print.ts";
import { type GeneratedFile, renderStub } from "../project/index.ts";

/** True if only some users see the entries of a model. */
export const isGuarded = ({ hasOwner, hasMembers }: Model): boolean => hasOwner || hasMembers;

/** True if a model has a table of its own members. */
export const hasMemberTable = ({ hasMembers, parent }: Model): boolean => hasMembers && parent === undefined;

/** True if the pages of a model are for users who are logged in: they show users, or only some users see them. */
export const requiresLogin = (model: Model): boolean => refersToUsers(model.fields) || isGuarded(model);

/** True if a policy lists the users who see an entry. */
const listsUsers = (model: Model): boolean => hasMemberTable(model) || model.canJoin;

/** True if some users see an entry and may not change it. */
export const hasReaders = ({ hasMembers, hasOwner, parent }: Model): boolean =>
  hasMembers && (parent === undefined || hasOwner);

/** Returns the policy of a model and its test; none for a model that everybody sees. */
export function policyFiles(model: Model): readonly GeneratedFile[] {
  const { kebab } = model.name.singular;
  const actingUser: GeneratedFile = {
    path: "app/domain/acting-user.ts",
    text: renderStub("model/acting-user.ts", {}),
    whenPresent: "keep",
  };
  if (!isGuarded(model)) return requiresLogin(model) ? [actingUser] : [];
  return [
    actingUser,
    { path: `app/domain/${kebab}/policy.ts`, text: policyText(model) },
    { path: `test/${kebab}-policy.test.ts`, text: policyTestText(model) },
  ];
}

function policyText(model: Model): string {
  const { name, parent, hasMembers, hasOwner } = model;
  const { singular, plural } = name;
  const parentPolicy = hasMembers && parent !== undefined;
  const types = [...(hasMemberTable(model) ? ["Role"] : []), ...(hasReaders(model) ? [singular.pascal] : [])];
  const tables = [
    ...(hasMemberTable(model) ? [`${singular.camel}Members`] : []),
    ...(hasMemberTable(model) && !hasOwner ? [] : [plural.camel]),
  ];
  return renderStub("model/policy.ts", {
    manyWords: plural.words,
    aWords: withArticle(singular.words),
    imports: [
      ...(listsUsers(model) ? ['import type { User } from "limmat";'] : []),
      'import type { OperationOptions } from "limmat/database";',
      'import { database } from "../../../service/service.ts";',
      ...(parentPolicy ? [`import * as ${parent.singular.pascal} from "../${parent.singular.kebab}/policy.ts";`] : []),
      ...(types.length === 0 ? [] : [printNames("import type", types, "./entity.ts")]),
      printNames("import", tables, "./repository.ts"),
    ].join("\n"),
    role: parentPolicy
      ? `export type Role = ${parent.singular.pascal}.Role;`
      : hasMemberTable(model)
        ? "export type { Role };"
        : 'export type Role = "admin";',
    roleOf: roleOf(model),
    mayChange: mayChange(model),
    list: listFunction(model),
    users: listsUsers(model) ? usersFunction(model) : "",
    changeable: hasReaders(model) ? changeableFunction(model) : "",
  });
}

/** Returns the function that lists the users who see an entry, for choices of forms. */
function usersFunction({ name: { singular, plural }, parent }: Model): string {
  const body =
    parent === undefined
      ? [
          `  const where = { ${singular.snake}_id: id };`,
          `  const members = await ${singular.camel}Members.collect(database, { ...options, where, with: ["user"] });`,
          "  return members.flatMap((member) => member.user ?? []);",
        ]
      : [
          `  const item = await ${plural.camel}.findOpt(database, id, options);`,
          "  if (item === undefined) return [];",
          `  return ${parent.singular.pascal}.usersOf(item.${parent.singular.snake}_id, options);`,
        ];
  return [
    "",
    `/** Returns the users who see ${withArticle(singular.words)}. */`,
    "export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {",
    ...body,
    "}",
  ].join("\n");
}

/** Returns the function that says for the entries of a list whether the user may change them. */
function changeableFunction({ name: { singular, plural }, parent, hasOwner }: Model): string {
  const columns = [
    "id",
    ...(parent === undefined ? [] : [`${parent.singular.snake}_id`]),
    ...(hasOwner ? ["owner_id"] : []),
  ];
  const rights =
    parent === undefined
      ? [
          `  const where = { ${singular.snake}_id: items.map(({ id }) => id), user_id, role: "admin" } as const;`,
          `  const memberships = await ${singular.camel}Members.collect(database, { ...options, where });`,
          `  const ids = new Set(memberships.map((membership) => membership.${singular.snake}_id));`,
          ...(hasOwner ? ["  for (const item of items) if (item.owner_id === user_id) ids.add(item.id);"] : []),
        ]
      : [
          "  const roles = new Map<string, Role | undefined>();",
          `  for (const parentId of new Set(items.map((item) => item.${parent.singular.snake}_id))) {`,
          `    roles.set(parentId, await ${parent.singular.pascal}.roleOf(parentId, user_id, options));`,
          "  }",
          "  const ids = new Set<string>();",
          "  for (const item of items) {",
          `    const isAdmin = roles.get(item.${parent.singular.snake}_id) === "admin";`,
          "    if (isAdmin || item.owner_id === user_id) ids.add(item.id);",
          "  }",
        ];
  return [
    "",
    `/** Returns the ids of those ${plural.words} of a list that a user may change and delete. The user sees all of them. */`,
    printList(
      [
        `items: readonly Pick<${singular.pascal}, ${columns.map((name) => `"${name}"`).join(" | ")}>[]`,
        "user_id: string",
        "options?: OperationOptions",
      ],
      {
        open: "(",
        close: ")",
        before: "export async function changeableIds",
        after: ": Promise<ReadonlySet<string>> {",
      },
    ),
    ...rights,
    "  return ids;",
    "}",
  ].join("\n");
}

function roleOf({ name: { singular, plural }, parent, hasMembers }: Model): string {
  if (!hasMembers)
    return [
      `const isOwner = await ${plural.camel}.exists(database, { id, owner_id: user_id }, options);`,
      'return isOwner ? "admin" : undefined;',
    ].join("\n");
  if (parent === undefined) {
    return [
      `const ids = { ${singular.snake}_id: id, user_id };`,
      `const membership = await ${singular.camel}Members.findOpt(database, ids, options);`,
      "return membership?.role;",
    ].join("\n");
  }
  return [
    `const item = await ${plural.camel}.findOpt(database, id, options);`,
    `return item && ${parent.singular.pascal}.roleOf(item.${parent.singular.snake}_id, user_id, options);`,
  ].join("\n");
}

function mayChange({ name: { plural }, parent, hasMembers, hasOwner }: Model): string {
  if (hasMembers && hasOwner) {
    return [
      "const role = await roleOf(id, user_id, options);",
      'if (role === undefined || role === "admin") return role === "admin";',
      `return ${plural.camel}.exists(database, { id, owner_id: user_id }, options);`,
    ].join("\n");
  }
  return hasMembers && parent !== undefined
    ? "return (await roleOf(id, user_id, options)) !== undefined;"
    : 'return (await roleOf(id, user_id, options)) === "admin";';
}

/** Returns the function for lists and new entries below a parent. */
function listFunction({ name: { plural }, parent, hasMembers }: Model): string {
  if (!hasMembers || parent === undefined) return "";
  return [
    "",
    `/** Returns true if a user sees the ${plural.words} of ${withArticle(parent.singular.words)}, and may add one. */`,
    "export async function maySeeList(parent_id: string, user_id: string, options?: OperationOptions): Promise<boolean> {",
    `  return (await ${parent.singular.pascal}.roleOf(parent_id, user_id, options)) !== undefined;`,
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
    input: needsInputOptions(model) ? "context" : "",
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
