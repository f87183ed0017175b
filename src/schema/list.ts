import { error, ok } from "../core/index.ts";
import {
  type Composite,
  fillMember,
  type Member,
  type MemberResult,
  readMember,
  requireMember,
  type ValueOf,
} from "./composite.ts";
import type { FieldOptions } from "./field.ts";
import type { Form } from "./form.ts";
import { jsonMemberInput, type MemberInput } from "./inputs.ts";
import {
  type Decoded,
  fieldJsonSchemas,
  type JsonSchema,
  type JsonSchemaProperty,
  type StandardProps,
  standardSchemaProps,
} from "./json-schema.ts";
import { type Messages, messages as currentMessages } from "./messages.ts";

/** Options of `Schema.list`. `validate` checks the list if all items are valid. */
export interface ListOptions<T> extends Omit<FieldOptions<readonly T[]>, "sensitive"> {
  /** Minimum number of items. Default 0. */
  readonly min?: number;
  /** Maximum number of items. Default 100. */
  readonly max?: number;
  /** Value if JSON does not contain the list, and content of a new form. Without it, a missing list is an error. */
  readonly default?: readonly T[];
}

/** List: a member of a record. Also a Standard Schema and a Standard JSON Schema, version 1. */
export interface ListSchema<T> extends Composite<readonly T[]> {
  readonly "~standard": StandardProps<readonly T[]>;
}

/**
 * Makes a list of fields or records.
 *
 * A form sends the items under one repeated name, `tags`, as groups of checkboxes and multiple selects do, or with an
 * index, `tags.0` and `lines.0.title`. Items are in the order of their indices, which may have gaps. Empty items are
 * dropped. A list that was not sent is empty. In JSON it is an array, and required unless it has a default.
 *
 * In the form, the list has its own field for its error as a whole. Its items follow as `tags.0` or `lines.0.title`,
 * without gaps: see `Form.items`.
 *
 * @example
 * Schema.record({ tags: Schema.list(Schema.oneOf(["red", "blue"]), { min: 1 }) }); // tags: readonly ("red" | "blue")[]
 */
export function list<const M extends Member>(item: M, options: ListOptions<ValueOf<M>> = {}): ListSchema<ValueOf<M>> {
  type Items = readonly ValueOf<M>[];
  requireMember(item);
  const { min = 0, max = 100, default: defaultItems } = options;

  const fillItems = (values: Items, messages: Messages = currentMessages()): Form => [
    ["", undefined, undefined],
    ...values.flatMap((value, index) => fillMember(String(index), item, value ?? null, messages)),
  ];

  const validateItems = (values: Items, length: number, messages: Messages): string | undefined => {
    if (length < min) return messages.tooFew(min);
    if (length > max) return messages.tooMany(max);
    return values.length === length ? options.validate?.(values) : undefined;
  };

  const readList = (input: MemberInput, messages: Messages): MemberResult<Items> => {
    const inputs = input.items(max + 1);
    if (inputs === undefined) {
      if (input.isMissing && defaultItems !== undefined) {
        return { form: fillItems(defaultItems, messages), result: ok(defaultItems) };
      }
      const problem = input.isEmpty ? messages.missing : messages.list;
      return { form: [["", undefined, problem]], result: error(problem) };
    }
    const results = inputs.map((itemInput, index) => readMember(String(index), item, itemInput, messages));
    const values = results.flatMap(({ result }) => (result.ok ? [result.value as ValueOf<M>] : []));
    const problem = validateItems(values, inputs.length, messages);
    return {
      form: [["", undefined, problem], ...results.flatMap(({ form }) => form)],
      result: problem === undefined && values.length === inputs.length ? ok(values) : error(problem),
    };
  };
  const decodeJson = (body: unknown): Decoded<Items> => {
    const { form, result } = readList(jsonMemberInput(body), currentMessages());
    return { form, value: result.ok ? result.value : undefined };
  };

  const annotations = { ...options, sensitive: item.isSensitive };
  const arraySchema = ({ schema }: JsonSchemaProperty): JsonSchema => ({
    type: "array",
    items: schema,
    ...(min > 0 ? { minItems: min } : {}),
    maxItems: max,
  });
  const { input: itemInput, output: itemOutput } = item.jsonSchema;
  const jsonSchema = fieldJsonSchemas(arraySchema(itemInput), arraySchema(itemOutput), annotations);

  return Object.freeze<ListSchema<ValueOf<M>>>({
    kind: "list",
    isSensitive: item.isSensitive,
    jsonSchema,
    "~standard": standardSchemaProps(decodeJson, jsonSchema),
    read: readList,
    fill: (values, messages) => fillItems(values === undefined ? (defaultItems ?? []) : (values ?? []), messages),
  });
}
