/**
 * Returns generator arguments for fields of all types, of a model `book` that belongs to an `author`.
 *
 * @param suffix `?` to make the UUID and the JSON optional.
 */
export const bookFields = (suffix: "" | "?"): readonly string[] => [
  "title:string:index",
  "summary:text?",
  "pages:int",
  "rating:float?",
  "price:decimal",
  "sold:bool",
  "published_on:date?",
  "read_at:datetime",
  `shelf_id:uuid${suffix}:unique`,
  `extra:json${suffix}`,
  "status:oneOf(draft,published)",
  "author:author",
  "prequel:book?",
];
