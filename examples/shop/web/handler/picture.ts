import { Storage } from "limmat";
import { failure, Flash, Middleware, type Request, Response } from "limmat/web";
import * as Product from "../../app/domain/product/product.ts";
import { setPicture } from "../../app/domain/product/stock.ts";
import { database, storage } from "../../service/service.ts";

const maxFileBytes = 2_000_000;

export const bodyLimit = Middleware.bodyLimit(maxFileBytes + 100_000);

export async function show(request: Request<{ readonly id: string }>): Promise<Response> {
  const product = await Product.find(request.params.id);
  if (product?.picture === undefined) throw failure(404);
  return Storage.Web.file(request, storage, product.picture, { inline: true });
}

/** Stores an uploaded picture in the place of the former one. */
export const replace = (request: Request<{ readonly id: string }>): Promise<Response> =>
  request.upload(
    async ({ file }) => {
      const product = await Product.find(request.params.id);
      if (product === undefined) throw failure(404);
      const { id, picture: former } = product;
      const picture = file("picture");
      const response = Response.redirect(`${request.prefix}/staff/products/${id}`);
      if (picture?.imageType === undefined) return Flash.setAlert("Please choose a picture", response);
      const { imageType: contentType } = picture;
      await database.transaction(async () => {
        await setPicture(id, (await storage.put(picture, { contentType })).id);
        if (former !== undefined) await storage.delete(former);
      });
      return Flash.setNotice("Picture stored", response);
    },
    { maxFiles: 1, maxFileBytes },
  );
