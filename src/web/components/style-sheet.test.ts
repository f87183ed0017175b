// The style sheet of the template, which styles the components.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const styleSheet = readFileSync("template/public/app.css", "utf8");

test("every class of app.css is described in the guide, and no other", () => {
  const guide = readFileSync("docs/guide/components.md", "utf8");
  const [, section = ""] = /^## Classes of the style sheet\n([^]*?)^## /m.exec(guide) ?? [];
  const described = [...section.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
  const classes = [...styleSheet.matchAll(/\.([a-z][a-z-]*)/g)].map(([, name]) => name);
  assert.deepEqual(new Set(described), new Set(classes));
});

test("a label, a legend and an input outside of a component have no size or weight of their own", () => {
  const rules = [...styleSheet.matchAll(/^([^@{}/]+)\{([^}]*)\}/gm)];
  const leaking = rules.filter(
    ([, selectors = "", body = ""]) =>
      selectors
        .split(/,\n/)
        .some((selector) => /^(?:label|legend|input|select|textarea)\b[^ ]*$/.test(selector.trim())) &&
      /^\s*(?:width: 100%|font-weight)/m.test(body),
  );
  assert.deepEqual(
    leaking.map(([, selectors]) => selectors?.trim()),
    [],
  );
});
