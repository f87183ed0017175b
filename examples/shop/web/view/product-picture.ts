import { html, type Html } from "limmat/html";
import { Csrf, type Request, Rest } from "limmat/web";
import { labelOf, type Product } from "../../app/domain/product/product.ts";
import { fileField, form } from "./components.ts";

function pathOf(request: Request, { id }: Product): string {
  return `${Rest.itemPath(request, id)}/picture`;
}

/** Renders the picture of a product, if it has one. */
export function pictureImage(request: Request, item: Product): Html | undefined {
  const [path, label] = [pathOf(request, item), labelOf(item)];
  return item.picture === undefined ? undefined : html`<img src="${path}" alt="${label}">`;
}

/** Renders the picture of a product, with the form that replaces it. */
export function pictureForm(request: Request, item: Product): Html {
  const image = pictureImage(request, item);
  const field = {
    accept: "image/*",
    hint: "An image of at most 5 MB",
    isRequired: true,
  };
  const options = {
    csrf: Csrf.find(request),
    action: pathOf(request, item),
    submit: "Upload",
    isMultipart: true,
  };
  return form(options, html`${image} ${fileField([], "picture", field)}`);
}
