import { codeOf } from "./field-code.ts";
import type { Field } from "./field.ts";
import type { Model } from "./model-files.ts";
import { withArticle } from "./print.ts";
import { renderStub } from "./stub.ts";
import type { GeneratedFile } from "./write-files.ts";

/** The tests of a model's pages. */
export function htmlTest({ name: { one, many }, fields }: Model): GeneratedFile {
  const [first] = fields as readonly [Field];
  const text = renderStub("html/test.ts", {
    importModel: `import * as ${one.pascal} from "../app/domain/${one.kebab}/${one.kebab}.ts";`,
    Model: one.pascal,
    model: one.camel,
    file: one.kebab,
    path: many.kebab,
    manyWords: many.words,
    aWords: withArticle(one.words),
    field: first.name,
    invalid: codeOf(first).invalid,
  });
  return { path: `test/${one.kebab}-pages.test.ts`, text };
}
