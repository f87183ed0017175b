import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_FIELD_NAME: (name: string): string =>
    `${JSON.stringify(name)} is not a valid field name: a name is not empty and contains no dot, because a dot separates the names of nested fields, as in "address.street". Choose another name.`,
  E_FIELD_TYPE: (vendor: string): string => `A member must be made by Schema. Given: ${vendor}.`,
  E_FIELD_DECIMAL: (precision: number, scale: number): string =>
    `A decimal cannot have the precision ${precision} and the scale ${scale}. The scale is the number of digits after the point: 0 or more. The precision is the number of all digits: at least 1, and at least the scale.`,
  E_FIELD_DECIMAL_RANGE: (min: string, max: string, limit: string): string =>
    `A decimal up to ${limit} cannot have the range from ${min} to ${max}. Both bounds have at most as many digits before and after the point, and the minimum is not above the maximum.`,
  E_SCHEMA_TARGET: (target: string, supportedTargets: readonly string[]): string =>
    `The JSON Schema dialect "${target}" is not supported. Supported dialects: ${supportedTargets.join(", ")}.`,
};

/** Error catalogue of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
