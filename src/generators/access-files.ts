import { addItems } from "./add-items.ts";
import type { Model } from "./describe-model.ts";
import {
  arrayCode,
  callCode,
  type Code,
  objectCode,
  printCallback,
  printCode,
  printInStub,
  withArticle,
} from "./print.ts";
import { renderModule, sharedStub } from "./render-model.ts";
import { type GeneratedFile, renderStub } from "../project/index.ts";
import { literalTexts } from "./texts.ts";
import type { FileEdit } from "./wire.ts";

/** Returns the policy of a model and its test, and the user of its calls; none for a model that everybody sees. */
export function policyFiles(model: Model): readonly GeneratedFile[] {
  const { kebab } = model.name.singular;
  if (!model.requiresLogin) return [];
  const policy = { path: `app/domain/${kebab}/policy.ts`, text: policyText(model) };
  const test = { path: `test/${kebab}-policy.test.ts`, text: policyTestText(model) };
  return [sharedStub("app/domain/acting-user.ts", "model/acting-user.ts"), ...(model.isGuarded ? [policy, test] : [])];
}

function policyText(model: Model): string {
  const { name, isTeam, memberTexts } = model;
  const reasons = { change: memberTexts.code("onlyAdminsChange"), remove: memberTexts.code("onlyAdminsRemove") };
  return renderModule("model/policy.ts", model, {
    tables: `${name.singular.camel}Members, ${name.plural.camel}`,
    policy: policyCode(model),
    memberReasons: printInStub(reasonsCode(reasons), 2, ","),
    readMembers: isTeam
      ? printCallback(
          `const members = await Policy.unchecked("the people of ${withArticle(name.singular.words)}", `,
          `${name.singular.camel}Members.collect(database, read)`,
          2,
        )
      : "",
  });
}

/** Returns the policy of a model. */
function policyCode(model: Model): string {
  const { name, parent, hasMembers, hasOwner, hasReaders, isTeam, texts, memberTexts } = model;
  const start = `export const policy = Policy.make(${name.plural.camel}, `;
  if (!hasMembers) {
    const own = "const own = (user: Policy.User) => ({ owner_id: user.id });";
    return `${own}\n\n${start}() => ({ see: own, change: own, administer: own }));`;
  }
  const rule = (before: string, action: "see" | "administer"): Code => {
    const [relation, related] = isTeam
      ? ["members", `(user) => ({ user_id: user.id${action === "see" ? "" : ', role: "admin"'} })`]
      : [parent?.singular.snake, `${parent?.singular.pascal}.policy.rules.${action}`];
    return callCode([related], `${before}is.related.${relation}`);
  };
  if (!hasReaders) {
    const rules = [rule("see: ", "see"), rule("change: ", "see"), rule("administer: ", "administer")];
    return [`${start}(is) => ({`, ...rules.map((code) => `  ${printCode(code, 2, ",")}`), "}));"].join("\n");
  }
  const body = [
    ...(hasOwner ? [rule("const see = ", "see")] : []),
    rule("const administer = ", "administer"),
    hasOwner
      ? "return { see, change: is.any((user) => ({ owner_id: user.id }), administer), administer }"
      : objectCode([rule("see: ", "see"), "change: administer", "administer"], "return "),
  ];
  const reasons = {
    change: texts.code(hasOwner ? "ownerMayChange" : "mayNotChange"),
    ...(isTeam ? { administer: memberTexts.code("onlyAdminsAdd") } : {}),
  };
  return [
    "export const policy = Policy.make(",
    `  ${name.plural.camel},`,
    "  (is) => {",
    ...body.map((code) => `    ${printCode(code, 4, ";")}`),
    "  },",
    `  ${printCode(reasonsCode(reasons), 2, ",")}`,
    ");",
  ].join("\n");
}

/** Returns the option with the reasons of refusals. */
function reasonsCode(reasons: Readonly<Record<string, string>>): Code {
  const functions = Object.entries(reasons).map(([action, text]) => ({ start: `${action}: () =>`, body: text }));
  return objectCode([objectCode(functions, "reasons: ")]);
}

function policyTestText(model: Model): string {
  const { name, isNested, canJoin } = model;
  const { pascal } = name.singular;
  const options = `${pascal}.${isNested ? "ListOptions" : "Options"}`;
  const parameters = ["role: string", `${canJoin ? "{ id }" : "_"}: ${pascal}.${pascal}`, `context: ${options}`];
  const changes = [`() => ${pascal}.update(item.id, input, options)`, `() => ${pascal}.delete(item, options)`];
  return renderStub(
    "model/policy-test.ts",
    {
      changes: printInStub(arrayCode(changes, "const changes = "), 4, ";"),
      optionsOf: printCode(callCode(parameters, "async function optionsOf"), 0, `: Promise<${options}> {`),
      memberChanges: String(model.isInTeam && !model.hasOwner),
    },
    model.values,
  );
}

/** Returns the service of the members of a model. */
export function memberServiceFile(model: Model): GeneratedFile {
  const { kebab, camel } = model.name.singular;
  const { column } = model.values;
  const parent = objectCode([`${column}: options.params.${camel}`]);
  const condition = arrayCode([parent, "memberPolicy.where(actingUser(options))"], "const where = ");
  const parameters = [`{ id, ${column}: parentId }: Member`, "options?: OperationOptions"];
  return {
    path: `app/domain/${kebab}/members.ts`,
    text: renderModule("members/members.ts", withMemberTexts(model), {
      listCondition: printInStub(condition, 2, ";"),
      removeSignature: printCode(callCode(parameters, "async function remove"), 0, ": Promise<Result<undefined>> {"),
    }),
  };
}

/** Returns a model whose stubs have the texts of its members. */
const withMemberTexts = ({ values, memberTexts }: Model): Pick<Model, "values"> => ({
  values: { ...values, ...memberTexts.values },
});

/** Returns the edit that keeps the last admin from deleting the account. */
export const deletionCheckEdit = ({ name: { singular } }: Model): FileEdit => {
  const check = `${singular.pascal}Members.checkDeletion`;
  return {
    path: "routes/account.ts",
    imports: [`import * as ${singular.pascal}Members from "../app/domain/${singular.kebab}/members.ts";`],
    apply: addItems(/^const deletionChecks\b[^=\n]*=/m, check),
    snippet: `User.Web.accountRouter({ /* … */ deletionChecks: [/* … */ ${check}] });`,
  };
};

/** Returns the view of the members of a model. */
export const memberViewFile = (model: Model): GeneratedFile => {
  const { name, isTranslated } = model.memberTexts;
  const labels = { user: "Member", email: "E-mail address", created_at: "Since" };
  return {
    path: `web/view/${model.name.singular.kebab}-member.ts`,
    text: renderModule("members/view.ts", withMemberTexts(model), {
      pageTexts: isTranslated ? `texts: text.${name},` : printInStub(literalTexts("member", "members", labels), 2, ","),
      roleLabel: isTranslated ? `text.${name}.choices.role[item.role]` : "components.humanize(item.role)",
    }),
  };
};

/** Returns the routes and the tests of the pages of members. */
export const memberPageFiles = (model: Model): readonly GeneratedFile[] => [
  { path: `routes/${model.values["file"]}-member.ts`, text: renderModule("members/routes.ts", withMemberTexts(model)) },
  { path: `test/${model.values["file"]}-member.test.ts`, text: renderStub("members/test.ts", {}, model.values) },
];
