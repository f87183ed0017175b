import type { Field } from "./field.ts";
import type { Model } from "./model-files.ts";
import { withArticle } from "./print.ts";
import { renderStub } from "./stub.ts";
import type { GeneratedFile } from "./write-files.ts";

/** The tests of a model's JSON. */
export function jsonTest({ name: { one, many }, fields }: Model): GeneratedFile {
  const wrong = wrongField(fields);
  const text = renderStub("json/test.ts", {
    importModel: `import * as ${one.pascal} from "../app/domain/${one.kebab}/${one.kebab}.ts";`,
    Model: one.pascal,
    model: one.camel,
    file: one.kebab,
    path: many.kebab,
    manyWords: many.words,
    aWords: withArticle(one.words),
    field: fields[0]?.name ?? "",
    invalidTest:
      wrong === undefined ? "" : renderStub("json/invalid-test.ts", { Model: one.pascal, ...wrong }).replace(/\n$/, ""),
  });
  return { path: `test/${one.kebab}-api.test.ts`, text };
}

/** A field, and as TypeScript what cannot stand in it. Any JSON can stand in an optional field for JSON. */
function wrongField(fields: readonly Field[]): { readonly field: string; readonly wrong: string } | undefined {
  const required = fields.find(({ isOptional }) => !isOptional);
  if (required !== undefined) return { field: required.name, wrong: "undefined" };
  const optional = fields.find(({ type }) => type !== "json");
  return optional === undefined ? undefined : { field: optional.name, wrong: "[]" };
}
