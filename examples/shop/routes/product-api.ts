import { Web } from "limmat";
import * as Product from "../app/domain/product/product.ts";

/** JSON API of the products. */
export const productsApi = Web.choose(
  Web.Rest.jsonOfService({
    name: "products",
    schema: Product.schema,
    service: Product,
    filterBy: {
      category: Web.Query.oneOf(...Product.categoryChoices),
    },
    sortBy: ["created_at", "name", "price", "stock"],
  }),
);
