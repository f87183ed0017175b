import { User, Web } from "limmat";
import * as Label from "../app/domain/label/label.ts";
import * as LabelView from "../web/view/label.ts";
import { requireAdminForChanges } from "../web/middleware/require-role.ts";

/** Pages of the labels. */
export const labels = Web.choose(
  Web.Rest.resourceOfService({
    name: "labels",
    schema: Label.schema,
    view: LabelView,
    service: Label,
    ...LabelView.listRules,
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), requireAdminForChanges] },
);
