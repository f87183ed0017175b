import type { Storage } from "limmat";
import type { OperationOptions } from "limmat/database";
import { database, storage } from "../../../service/service.ts";
import type { Product } from "./entity.ts";
import { products } from "./repository.ts";

/** Stores an image as the picture of a product, and deletes the former one. */
export async function setPicture(
  item: Product,
  content: Storage.StorageContent,
  contentType: string,
  options?: OperationOptions,
): Promise<void> {
  let stored: Storage.StoredFile | undefined;
  try {
    await database.transaction(async () => {
      stored = await storage.put(content, { ...options, contentType });
      const values = { picture: stored.id };
      await products.update(database, item, values, options);
    }, options);
  } catch (thrown) {
    // A storage outside the database has kept the file.
    if (stored !== undefined) await storage.delete(stored.id, options);
    throw thrown;
  }
  const { picture: former } = item;
  if (former !== undefined) await storage.delete(former, options);
}
