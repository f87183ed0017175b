import type { RelatedTable } from "../table/index.ts";
import { relationOf } from "./condition.ts";
import type { AnyRule } from "./rule.ts";

/**
 * Returns an equal rule that asks nothing twice. Each rule of a policy contains `see`, and so do the rules of its parent: without
 * this, a rule of the fourth level would walk up ten times instead of once.
 */
export function simplify(table: RelatedTable, rule: AnyRule): AnyRule {
  if (typeof rule === "function") return rule;
  switch (rule.kind) {
    case "anyone":
      return rule;
    case "any":
      return { kind: "any", rules: rule.rules.map((part) => simplify(table, part)) };
    case "not":
      return { kind: "not", rule: simplify(table, rule.rule) };
    case "all":
      return simplifyAll(table, rule);
    default:
      return { ...rule, rule: simplify(relationOf(table, rule.relation).target, rule.rule) };
  }
}

function simplifyAll(table: RelatedTable, rule: AnyRule): AnyRule {
  const others: AnyRule[] = [];
  const ofParents = new Map<string, AnyRule[]>();
  for (const part of new Set(partsOf(rule))) {
    // There is one row that a foreign key refers to: what several rules allow is one condition of it.
    if (typeof part === "object" && part.kind === "related" && relationOf(table, part.relation).kind === "belongsTo") {
      ofParents.set(part.relation, [...(ofParents.get(part.relation) ?? []), part.rule]);
    } else others.push(simplify(table, part));
  }
  const parents = Array.from(ofParents, ([relation, rules]): AnyRule => {
    const combined: AnyRule = { kind: "all", rules };
    return { kind: "related", relation, rule: simplify(relationOf(table, relation).target, combined) };
  });
  const rules = [...others, ...parents];
  return rules.length === 1 ? (rules[0] as AnyRule) : { kind: "all", rules };
}

/** Returns the rules of which all must allow something, without nested ones. */
const partsOf = (rule: AnyRule): readonly AnyRule[] =>
  typeof rule === "object" && rule.kind === "all" ? rule.rules.flatMap(partsOf) : [rule];
