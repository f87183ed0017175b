import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import type { Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import type { DescribedSchema } from "../../http/router/index.ts";

type JsonSchema = Schema.JsonSchema;
type Side = keyof Schema.JsonSchemaPair;

/** Keywords that hold schemas by name, and those that hold any value and no schema. */
const maps = new Set(["properties", "patternProperties", "dependentSchemas"]);
const values = new Set(["default", "enum", "const", "examples"]);

/** What a schema is written out from: its own root, that references of it begin at. */
interface Source {
  readonly root: JsonSchema;
  readonly side: Side;
}

/** The schemas that a document says once and refers to: objects with a title, and what refers to itself. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};
  /** What is being written, for messages: `GET /todos`. */
  where = "";
  readonly #names = new Map<object, string>();
  readonly #roots = new Map<string, JsonSchema>();

  /** What stands in the document for a schema. @throws E_OPENAPI_SCHEMA */
  place(schema: DescribedSchema, side: Side): unknown {
    const root = this.#rootOf(schema, side);
    return this.#placed(root, { root, side });
  }

  /** The properties of an object, and the names of those that must be there. @throws E_OPENAPI_SCHEMA */
  propertiesOf(schema: DescribedSchema): {
    readonly properties: Readonly<Record<string, JsonSchema>>;
    readonly required: readonly string[];
  } {
    const root = this.#rootOf(schema, "input");
    const { properties = {}, required = [] } = this.#inside(root, { root, side: "input" });
    return {
      properties: properties as Readonly<Record<string, JsonSchema>>,
      required: required as readonly string[],
    };
  }

  /** Where a schema is written out from. What other objects say alike, of either side, is one and the same. */
  #rootOf(schema: DescribedSchema, side: Side): JsonSchema {
    if (!isStandard(schema)) return schema;
    // Some libraries make a standard schema of the JSON Schema in turn.
    const { "~standard": _, ...root } = converted(schema, side, this.where);
    const text = JSON.stringify(root);
    const known = this.#roots.get(text) ?? root;
    this.#roots.set(text, known);
    return known;
  }

  #placed(schema: unknown, source: Source): unknown {
    if (Array.isArray(schema)) return schema.map((each) => this.#placed(each, source));
    if (isStandard(schema)) return this.place(schema, source.side);
    if (!isObject(schema)) return schema;
    const { $ref: reference, title, type } = schema;
    const target = typeof reference === "string" ? targetOf(reference, source.root) : undefined;
    if (target !== undefined) return this.#component(target.schema, target.name, source);
    return typeof title === "string" && type === "object"
      ? this.#component(schema, title, source)
      : this.#inside(schema, source);
  }

  /** What stands in a schema, without its own definitions: those become components. */
  #inside(schema: JsonSchema, source: Source): JsonSchema {
    const entries = Object.entries(schema).filter(([keyword]) => keyword !== "$defs" && keyword !== "$schema");
    return Object.fromEntries(
      entries.map(([keyword, value]) => {
        if (values.has(keyword)) return [keyword, value];
        if (!maps.has(keyword) || !isObject(value)) return [keyword, this.#placed(value, source)];
        const placed = Object.entries(value).map(([name, each]) => [name, this.#placed(each, source)]);
        return [keyword, Object.fromEntries(placed)];
      }),
    );
  }

  #component(schema: JsonSchema, title: string, source: Source): JsonSchema {
    const known = this.#names.get(schema);
    if (known !== undefined) return referenceTo(known);
    const base = nameOf(title);
    const candidates = [base, base + (source.side === "input" ? "Input" : "Output")];
    while (Object.hasOwn(this.schemas, candidates.at(-1) as string)) candidates.push(`${base}${candidates.length}`);
    const free = candidates.find((name) => !Object.hasOwn(this.schemas, name)) as string;
    // Taken before it is written, because what is in it may refer to it.
    this.#names.set(schema, free);
    this.schemas[free] = {};
    const written = this.#inside(schema, source);
    const text = JSON.stringify(written);
    const same = candidates.find((name) => name !== free && JSON.stringify(this.schemas[name]) === text);
    if (same === undefined) this.schemas[free] = written;
    else {
      delete this.schemas[free];
      this.#names.set(schema, same);
    }
    return referenceTo(same ?? free);
  }
}

const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** A title as the name of a component: `Line item` → `LineItem`. */
function nameOf(title: string): string {
  const words = title.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("") || "Schema";
}

/** What a reference of a schema into itself leads to. */
function targetOf(
  reference: string,
  root: JsonSchema,
): { readonly schema: JsonSchema; readonly name: string } | undefined {
  const key = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  const definitions = root["$defs"];
  const found = reference === "#" ? root : isObject(definitions) && key !== undefined ? definitions[key] : undefined;
  if (!isObject(found)) return undefined;
  const { title } = found;
  return { schema: found, name: typeof title === "string" ? title : (key ?? "Schema") };
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Some libraries' schemas are functions. */
function isStandard(schema: unknown): schema is StandardJSONSchemaV1 {
  return ((typeof schema === "object" && schema !== null) || typeof schema === "function") && "~standard" in schema;
}

function converted({ "~standard": standard }: StandardJSONSchemaV1, side: Side, where: string): JsonSchema {
  try {
    return standard.jsonSchema[side]({ target: "draft-2020-12" });
  } catch (thrown) {
    // It cannot write this schema, or is of a version that does not know the standard.
    throw errors.E_OPENAPI_SCHEMA(standard.vendor, where).causedBy(thrown);
  }
}
