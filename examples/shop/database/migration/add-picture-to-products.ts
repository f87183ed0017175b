import { Migration } from "limmat";

export const addPictureToProducts = Migration.make(
  "add_picture_to_products",
  [
    Migration.step("add picture to products", ({ uuid }) => [`alter table products add column picture ${uuid}`], {
      down: ["alter table products drop column picture"],
    }),
  ],
  { after: ["products"] },
);
