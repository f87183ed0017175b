import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import type { Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import { isObject } from "../names.ts";
import type { DescribedSchema } from "../../http/router/index.ts";

type JsonSchema = Schema.JsonSchema;
type SchemaDirection = keyof Schema.JsonSchemaPair;

/** Keywords whose value maps names to schemas. */
const schemaMapKeywords = new Set(["properties", "patternProperties", "dependentSchemas"]);
/** Keywords whose value is data and not a schema. */
const literalKeywords = new Set(["default", "enum", "const", "examples"]);

/** Root of a schema, against which its references resolve, and the direction of the conversion. */
interface SchemaSource {
  readonly root: JsonSchema;
  readonly direction: SchemaDirection;
}

/** Shared schemas of a document: objects with a title, and recursive schemas. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};
  /** Current operation, for error messages: `GET /todos`. */
  operation = "";
  readonly #componentNames = new Map<object, string>();
  readonly #roots = new Map<string, JsonSchema>();

  /** Converts a schema for the document, with references to components. @throws E_OPENAPI_SCHEMA */
  toDocumentSchema(schema: DescribedSchema, direction: SchemaDirection): unknown {
    const root = this.#rootOf(schema, direction);
    return this.#convert(root, { root, direction });
  }

  /** Returns the properties of an object schema and the names of the required ones. @throws E_OPENAPI_SCHEMA */
  propertiesOf(schema: DescribedSchema): {
    readonly properties: Readonly<Record<string, JsonSchema>>;
    readonly required: readonly string[];
  } {
    const root = this.#rootOf(schema, "input");
    const { properties = {}, required = [] } = this.#convertKeywords(root, { root, direction: "input" });
    return { properties: properties as Readonly<Record<string, JsonSchema>>, required: required as readonly string[] };
  }

  /** Returns the JSON Schema of a schema. Equal schemas of either direction share one object. */
  #rootOf(schema: DescribedSchema, direction: SchemaDirection): JsonSchema {
    if (!isStandard(schema)) return schema;
    // In some libraries the JSON Schema itself has the key `~standard`.
    const { "~standard": _, ...root } = toJsonSchema(schema, direction, this.operation);
    const text = JSON.stringify(root);
    const sharedRoot = this.#roots.get(text) ?? root;
    this.#roots.set(text, sharedRoot);
    return sharedRoot;
  }

  #convert(schema: unknown, source: SchemaSource): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#convert(item, source));
    if (isStandard(schema)) return this.toDocumentSchema(schema, source.direction);
    if (!isObject(schema)) return schema;
    const { $ref: reference, title, type } = schema;
    const target = typeof reference === "string" ? referenceTarget(reference, source.root) : undefined;
    if (target !== undefined) return this.#referenceComponent(target.schema, target.name, source);
    if (typeof title === "string" && type === "object") return this.#referenceComponent(schema, title, source);
    return this.#convertKeywords(schema, source);
  }

  /** Converts the keywords of a schema, without its definitions, which become components. */
  #convertKeywords(schema: JsonSchema, source: SchemaSource): JsonSchema {
    const entries = Object.entries(schema).filter(([keyword]) => keyword !== "$defs" && keyword !== "$schema");
    return Object.fromEntries(
      entries.map(([keyword, value]) => {
        if (literalKeywords.has(keyword)) return [keyword, value];
        if (!schemaMapKeywords.has(keyword) || !isObject(value)) return [keyword, this.#convert(value, source)];
        const schemas = Object.entries(value).map(([name, part]) => [name, this.#convert(part, source)]);
        return [keyword, Object.fromEntries(schemas)];
      }),
    );
  }

  #referenceComponent(schema: JsonSchema, title: string, source: SchemaSource): JsonSchema {
    const componentName = this.#componentNames.get(schema);
    if (componentName !== undefined) return referenceTo(componentName);
    const baseName = componentNameOf(title);
    const candidates = [baseName, baseName + (source.direction === "input" ? "Input" : "Output")];
    while (Object.hasOwn(this.schemas, candidates.at(-1) as string)) candidates.push(`${baseName}${candidates.length}`);
    const freeName = candidates.find((name) => !Object.hasOwn(this.schemas, name)) as string;
    // Reserve the name before the conversion: the schema may refer to itself.
    this.#componentNames.set(schema, freeName);
    this.schemas[freeName] = {};
    const convertedSchema = this.#convertKeywords(schema, source);
    const text = JSON.stringify(convertedSchema);
    const equalName = candidates.find((name) => name !== freeName && JSON.stringify(this.schemas[name]) === text);
    if (equalName === undefined) this.schemas[freeName] = convertedSchema;
    else {
      delete this.schemas[freeName];
      this.#componentNames.set(schema, equalName);
    }
    return referenceTo(equalName ?? freeName);
  }
}

const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Converts a title into the name of a component: `Line item` → `LineItem`. */
function componentNameOf(title: string): string {
  const words = title.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("") || "Schema";
}

/** Resolves a local reference of a schema. */
function referenceTarget(
  reference: string,
  root: JsonSchema,
): { readonly schema: JsonSchema; readonly name: string } | undefined {
  const key = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  const definitions = root["$defs"];
  const definition =
    reference === "#" ? root : isObject(definitions) && key !== undefined ? definitions[key] : undefined;
  if (!isObject(definition)) return undefined;
  const { title } = definition;
  return { schema: definition, name: typeof title === "string" ? title : (key ?? "Schema") };
}

/** Returns true for a standard schema. In some libraries, schemas are functions. */
function isStandard(schema: unknown): schema is StandardJSONSchemaV1 {
  return ((typeof schema === "object" && schema !== null) || typeof schema === "function") && "~standard" in schema;
}

function toJsonSchema(
  { "~standard": standard }: StandardJSONSchemaV1,
  direction: SchemaDirection,
  operation: string,
): JsonSchema {
  try {
    return standard.jsonSchema[direction]({ target: "draft-2020-12" });
  } catch (thrown) {
    // The library cannot express this schema, or its version lacks Standard JSON Schema.
    throw errors.E_OPENAPI_SCHEMA(standard.vendor, operation).causedBy(thrown);
  }
}
