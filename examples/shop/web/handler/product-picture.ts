import { Storage } from "limmat";
import { failure, Flash, type Handler, Middleware, type Request, Response } from "limmat/web";
import { setPicture } from "../../app/domain/product/picture.ts";
import * as Product from "../../app/domain/product/product.ts";
import { storage } from "../../service/service.ts";

const maxFileBytes = 5_000_000;
const limitBody = Middleware.bodyLimit(maxFileBytes + 100_000);

/** Finds the product of a request. */
async function itemOf(request: Request): Promise<Product.Product> {
  const item = await Product.find(request.params["id"] ?? "");
  if (item === undefined) throw failure(404);
  return item;
}

/** Shows the picture of a product. */
export async function showPicture(request: Request): Promise<Response> {
  const { picture: id } = await itemOf(request);
  if (id === undefined) throw failure(404);
  return Storage.Web.file(request, storage, id, { inline: true });
}

/** Stores an uploaded image as the picture of a product. */
export const replacePicture: Handler = limitBody(async (request) => {
  const item = await itemOf(request);
  const response = Response.redirect(request.prefix + request.path.replace(/\/[^/]+$/, ""));
  return request.upload(
    async ({ file }) => {
      const image = file("picture");
      if (image?.imageType === undefined) return Flash.setAlert("Please choose an image", response);
      await setPicture(item, image, image.imageType);
      return Flash.setNotice("Image stored", response);
    },
    { maxFiles: 1, maxFileBytes },
  );
});
