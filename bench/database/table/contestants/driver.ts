import type { Engine } from "../../data.ts";
import type { OpenTable } from "./contestant.ts";

const drivers: Readonly<Record<Engine, () => Promise<{ readonly open: OpenTable }>>> = {
  postgresql: () => import("./driver-postgresql.ts"),
  mariadb: () => import("./driver-mariadb.ts"),
  sqlite: () => import("./driver-sqlite.ts"),
};

/** The same statements by hand, with the driver of each database used directly in its fastest way. */
export const open: OpenTable = async (url, engine) => (await drivers[engine]()).open(url, engine);

/** Row of an issue, of a person and of a label, as the drivers return them. */
export interface Item {
  readonly id: string;
  readonly assignee_id?: string | null;
  readonly issue_id?: string;
}

/** Puts the assignees and labels of issues into them. */
export function combine(issues: readonly Item[], people: readonly Item[], labels: readonly Item[]): unknown {
  const peopleById = new Map(people.map((person) => [person.id, person]));
  const labelsByIssue = new Map<string, Item[]>();
  for (const issue of issues) labelsByIssue.set(issue.id, []);
  for (const label of labels) labelsByIssue.get(label.issue_id ?? "")?.push(label);
  return issues.map((issue) => ({
    ...issue,
    assignee: peopleById.get(issue.assignee_id ?? ""),
    labels: labelsByIssue.get(issue.id),
  }));
}

/** Returns the different ids of assignees. */
export const assigneesOf = (issues: readonly Item[]): readonly string[] => [
  ...new Set(issues.flatMap(({ assignee_id }) => (assignee_id == null ? [] : [assignee_id]))),
];
