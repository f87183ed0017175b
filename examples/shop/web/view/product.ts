import { Query } from "limmat/web";
import { categoryChoices, type Input, labelOf, type Product, schema } from "../../app/domain/product/product.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";
import { pictureForm } from "./product-picture.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: {
    category: Query.oneOf(...categoryChoices),
  },
  sortBy: ["created_at", "name", "price", "stock"],
};

export const pages: components.ResourcePages<Product, Input> = {
  texts: { one: "product", many: "products" },
  labelOf,
  schema,
  layout,
  components,
  ...listRules,
};

export const index = components.listPage(pages, {
  columns: [{ name: "name", value: labelOf }, "price", "stock", "category", "created_at"],
});

export const show = components.itemPage(pages, {
  facts: ["name", "description", "price", "stock", "category", "created_at", "updated_at"],
  after: pictureForm,
});

const create = components.newPage(pages);

export { create as new };

export const edit = components.editPage(pages);
