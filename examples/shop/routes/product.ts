import { Web } from "limmat";
import * as Product from "../app/domain/product/product.ts";
import * as ProductView from "../web/view/product.ts";
import { replacePicture, showPicture } from "../web/handler/product-picture.ts";

/** Pages of the products. */
export const products = Web.choose([
  ...Web.Rest.resourceOfService({
    name: "products",
    schema: Product.schema,
    view: ProductView,
    service: Product,
    ...ProductView.listRules,
  }),
  Web.get("/products/:id<uuid>/picture", showPicture),
  Web.post("/products/:id<uuid>/picture", replacePicture),
]);
