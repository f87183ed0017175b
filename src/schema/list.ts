import { error, ok } from "../core/index.ts";
import { type Composite, fill, type Member, read, type Reading, type ValueOf } from "./composite.ts";
import type { FieldOptions } from "./field.ts";
import type { Form } from "./form.ts";
import { type Input, jsonInput } from "./inputs.ts";
import { fieldParts, type JsonPart, type JsonSchema } from "./json-schema.ts";
import { englishMessages, type Messages } from "./messages.ts";
import { type Decoded, standardProps, type StandardProps } from "./standard.ts";

/** What a list can be given. `validate` judges it once each item is valid. */
export interface ListOptions<T> extends Omit<FieldOptions<readonly T[]>, "sensitive"> {
  /** The least number of items. Default 0. */
  readonly min?: number;
  /** The greatest number of items. Default 100. */
  readonly max?: number;
  /** The list of JSON that does not hold it, and what a new form shows. Default: that is an error, and nothing. */
  readonly default?: readonly T[];
}

/** A list: in a record one of its fields, and alone a Standard Schema and a Standard JSON Schema, version 1. */
export interface ListSchema<T> extends Composite<readonly T[]> {
  readonly "~standard": StandardProps<readonly T[]>;
}

/**
 * A list of fields or records. A form sends the items under one name repeated, `tags`, as groups of checkboxes and multiple
 * selects do, or under their index, `tags.0` and `lines.0.title`; items stand in the order of their indices, which may have
 * gaps. What is empty throughout is no item, and what was not sent is an empty list. In JSON it is an array, and must be there.
 *
 * It has an entry of its own in the form, for what is wrong with it as a whole; its items follow as `tags.0` or
 * `lines.0.title`, without gaps: see `Form.items`.
 *
 * @example
 * Schema.record({ tags: Schema.list(Schema.oneOf(["red", "blue"]), { min: 1 }) }); // tags: readonly ("red" | "blue")[]
 */
export function list<const M extends Member>(item: M, options: ListOptions<ValueOf<M>> = {}): ListSchema<ValueOf<M>> {
  type Items = readonly ValueOf<M>[];
  const { min = 0, max = 100, default: fallback } = options;

  const notes = { ...options, sensitive: item.isSensitive };
  const arrayOf = ({ schema }: JsonPart): JsonSchema => ({
    type: "array",
    items: schema,
    ...(min > 0 ? { minItems: min } : {}),
    maxItems: max,
  });

  const filled = (values: Items): Form => [
    ["", undefined, undefined],
    ...values.flatMap((value, index) => fill(String(index), item, value ?? null)),
  ];

  const problemOf = (values: Items, length: number, messages: Messages): string | undefined => {
    if (length < min) return messages.tooFew(min);
    if (length > max) return messages.tooMany(max);
    return values.length === length ? options.validate?.(values) : undefined;
  };

  const readList = (input: Input, messages: Messages): Reading<Items> => {
    const items = input.items(max + 1);
    if (items === undefined) {
      if (input.isMissing && fallback !== undefined) return { form: filled(fallback), result: ok(fallback) };
      const problem = input.isEmpty ? messages.missing : messages.list;
      return { form: [["", undefined, problem]], result: error(problem) };
    }
    const readings = items.map((each, index) => read(String(index), item, each, messages));
    const values = readings.flatMap(({ result }) => (result.ok ? [result.value as ValueOf<M>] : []));
    const problem = problemOf(values, items.length, messages);
    return {
      form: [["", undefined, problem], ...readings.flatMap(({ form }) => form)],
      result: problem === undefined && values.length === items.length ? ok(values) : error(problem),
    };
  };
  const decodeJson = (body: unknown): Decoded<Items> => {
    const { form, result } = readList(jsonInput(body), englishMessages);
    return { form, value: result.ok ? result.value : undefined };
  };

  const jsonSchema = fieldParts(arrayOf(item.jsonSchema.input), arrayOf(item.jsonSchema.output), notes);

  return Object.freeze<ListSchema<ValueOf<M>>>({
    kind: "list",
    isSensitive: item.isSensitive,
    jsonSchema,
    "~standard": standardProps(decodeJson, jsonSchema),
    read: readList,
    fill: (values) => filled(values === undefined ? (fallback ?? []) : (values ?? [])),
  });
}
