import { User, Web } from "limmat";
import * as Product from "../app/domain/product/product.ts";
import { requireRole } from "../web/middleware/require-role.ts";
import * as ProductView from "../web/view/product.ts";

/** Pages of the products. */
export const products = Web.choose(
  Web.Rest.resourceOfService({
    name: "staff/products",
    schema: Product.schema,
    view: ProductView,
    service: Product,
    ...ProductView.listRules,
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), requireRole("manager")] },
);
