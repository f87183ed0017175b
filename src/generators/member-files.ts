import { addItems } from "./add-items.ts";
import type { Model } from "./describe-model.ts";
import { renderModule } from "./render-model.ts";
import { type GeneratedFile, renderStub } from "../project/index.ts";
import type { FileEdit } from "./wire.ts";

/** Returns the service of the members of a model. */
export const memberServiceFile = ({ name: { singular }, values }: Model): GeneratedFile => ({
  path: `app/domain/${singular.kebab}/members.ts`,
  text: renderStub("members/members.ts", {}, values),
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
export const memberViewFile = (model: Model): GeneratedFile => ({
  path: `web/view/${model.name.singular.kebab}-member.ts`,
  text: renderModule("members/view.ts", model),
});

/** Returns the routes and the tests of the pages of members. */
export const memberPageFiles = ({ name: { singular }, values }: Model): readonly GeneratedFile[] => [
  { path: `routes/${singular.kebab}-member.ts`, text: renderStub("members/routes.ts", {}, values) },
  { path: `test/${singular.kebab}-member.test.ts`, text: renderStub("members/test.ts", {}, values) },
];
