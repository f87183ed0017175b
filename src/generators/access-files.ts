import type { Model } from "./describe-model.ts";
import { arrayCode, callCode, objectCode, printCallback, printCode, printInStub } from "./print.ts";
import { renderModule, sharedStub } from "./render-model.ts";
import { type GeneratedFile, renderStub } from "../project/index.ts";
import { literalTexts } from "./texts.ts";

/** Returns the policy of a model and its test, and the user of its calls; none for a model that everybody sees. */
export function policyFiles(model: Model): readonly GeneratedFile[] {
  const { kebab } = model.name.singular;
  if (!model.requiresLogin) return [];
  const policy = { path: `app/domain/${kebab}/policy.ts`, text: policyText(model) };
  const test = { path: `test/${kebab}-policy.test.ts`, text: policyTestText(model) };
  return [sharedStub("app/domain/acting-user.ts", "model/acting-user.ts"), ...(model.isGuarded ? [policy, test] : [])];
}

function policyText(model: Model): string {
  const { name, hasOwner, isTeam, texts, memberTexts, values } = model;
  const change = texts.code(hasOwner ? "ownerMayChange" : "mayNotChange");
  const reasonOf = (action: string): string => memberTexts.code(`onlyAdmins${action}`);
  const members = `const members = await Policy.unchecked("the people of ${values["aWords"]}", `;
  return renderModule("model/policy.ts", model, {
    tables: `${name.singular.camel}Members, ${name.plural.camel}`,
    reasons: reasonsCode(isTeam ? { change, administer: reasonOf("Add") } : { change }),
    memberReasons: reasonsCode({ change: reasonOf("Change"), delete: reasonOf("Remove") }),
    readMembers: printCallback(members, `${name.singular.camel}Members.collect(database, read)`, 2),
  });
}

/** Returns the option with the reasons of refusals. */
function reasonsCode(reasons: Readonly<Record<string, string>>): string {
  const functions = Object.entries(reasons).map(([action, text]) => ({ start: `${action}: () =>`, body: text }));
  return printInStub(objectCode([objectCode(functions, "reasons: ")]), 2, ",");
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
export const memberServiceFile = (model: Model): GeneratedFile => ({
  path: `app/domain/${model.name.singular.kebab}/members.ts`,
  text: renderModule("members/members.ts", withMemberTexts(model), {
    role: model.memberTexts.isTranslated ? `role: text.${model.memberTexts.name}.choices.role[role]` : "role",
  }),
});

/** Returns a model whose stubs have the texts of its members. */
const withMemberTexts = ({ values, memberTexts }: Model): Pick<Model, "values"> => ({
  values: { ...values, ...memberTexts.values },
});

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
