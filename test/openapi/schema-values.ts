// Values that a JSON Schema accepts or refuses, for tests with generated input.
import * as fc from "fast-check";
import { accepts, resolve } from "../../src/schema/json-schema-checker.test.ts";
import type { Json } from "../../src/web/openapi/document-checker.test.ts";
import { keys, naughty, sql } from "../attack/hostile.ts";

/** Values of properties by name, such as the ids of stored items. */
export type KnownProperties = Readonly<Record<string, readonly unknown[]>>;

const hostileTexts: fc.Arbitrary<string> = fc.constantFrom(...keys, ...sql, ...naughty, "\0", "a\0b", "\ud800");
/** Texts, some of them hostile. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary", maxLength: 20 }),
  hostileTexts,
);

/** Returns values that a JSON Schema accepts. Properties of a known name mostly have a known value. */
export function validValues(schema: unknown, root: Json, known: KnownProperties = {}): fc.Arbitrary<unknown> {
  if (typeof schema === "boolean") return fc.jsonValue();
  const fields = schema as Readonly<Record<string, never>>;
  const { $ref: reference, type, anyOf, pattern, format, properties, required = [], items } = fields;
  if (reference !== undefined) return validValues(resolve(reference, root), root, known);
  if ("const" in fields) return fc.constant(fields["const"]);
  if ("enum" in fields) return fc.constantFrom(...(fields["enum"] as readonly unknown[]));
  if (anyOf !== undefined)
    return fc.oneof(...(anyOf as readonly unknown[]).map((alternative) => validValues(alternative, root, known)));
  if (Array.isArray(type))
    return fc.oneof(...(type as readonly string[]).map((name) => validValues({ ...fields, type: name }, root, known)));
  const candidates = ((): fc.Arbitrary<unknown> => {
    switch (type as unknown) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
        return fc.oneof(
          fc.integer({ min: fields["minimum"] ?? -100, max: 100 }),
          fc.maxSafeInteger().filter((value) => accepts(schema, value, root)),
        );
      case "number":
        return fc.double({ noNaN: true, noDefaultInfinity: true });
      case "string":
        if (format === "uuid") return fc.uuid();
        if (format === "date") return days.map((date) => date.slice(0, 10));
        if (format === "date-time") return days;
        return pattern === undefined || pattern === "\\S"
          ? texts
          : fc.oneof(texts, fc.stringMatching(new RegExp(pattern)));
      case "array":
        return fc.array(validValues(items ?? true, root, known), { maxLength: 4 });
      case "object": {
        const parts = Object.entries((properties ?? {}) as Json).map(([name, property]) => {
          const values = known[name] ?? [];
          const generated = validValues(property, root, known);
          return [
            name,
            values.length === 0
              ? generated
              : fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 4 }, { arbitrary: generated, weight: 1 }),
          ] as const;
        });
        return fc.record(Object.fromEntries(parts), { requiredKeys: required as unknown as string[] });
      }
      default:
        return fc.jsonValue();
    }
  })();
  return candidates.filter((value) => accepts(schema, value, root));
}

const days = fc
  .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Returns values that a JSON Schema refuses. */
export function brokenValues(schema: Json, root: Json): fc.Arbitrary<unknown> {
  const resolved = (typeof schema["$ref"] === "string" ? resolve(schema["$ref"], root) : schema) as Json;
  const properties = Object.entries((resolved["properties"] ?? {}) as Readonly<Record<string, Json>>);
  const one = properties.map(([name, property]) =>
    fc
      .tuple(validValues(resolved, root), brokenValues(property, root))
      .map(([value, wrong]) => ({ ...(value as Json), [name]: wrong })),
  );
  return fc
    .oneof(fc.jsonValue(), texts, fc.integer(), fc.constant("x".repeat(70_000)), ...one)
    .filter((value) => !accepts(schema, value, root));
}
