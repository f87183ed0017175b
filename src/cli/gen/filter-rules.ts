import { choicesConstant } from "./field-code.ts";
import type { Field } from "./field.ts";
import { filterFields, filterName } from "./parse-model.ts";

/**
 * Returns the filters of a list, as TypeScript. `query` names the namespace of their types, and `choices` begins the name
 * of the choices of a `oneOf`.
 */
export function filterRules(fields: readonly Field[], query: string, choices: string): readonly string[] {
  const rules = filterFields(fields).map((field) => {
    const { type, isOptional } = field;
    const rule =
      type === "oneOf"
        ? `${query}.oneOf(...${choices}${choicesConstant(field)})`
        : `${query}.${type === "bool" ? "bool" : "uuid"}`;
    const canBeAbsent = isOptional || type === "manyToMany";
    return `  ${filterName(field)}: ${canBeAbsent ? `${query}.nullable(${rule})` : rule},`;
  });
  return rules.length === 0 ? [] : ["filterBy: {", ...rules, "},"];
}
