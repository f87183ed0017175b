import type { Context, Result } from "limmat";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as Label from "../app/domain/label/label.ts";
import * as Project from "../app/domain/project/project.ts";
import * as Members from "../app/domain/team/members.ts";
import * as Team from "../app/domain/team/team.ts";
import { database, user } from "../service/service.ts";

const password = "a demo of the tracker";

const people = ["Ada", "Grace"] as const;

const labelNames = ["bug", "idea", "documentation", "urgent"] as const;

type Label = (typeof labelNames)[number];

interface Entry {
  readonly title: string;
  readonly labels: readonly Label[];
  readonly assignee?: "Ada" | "Grace";
  readonly state?: "closed";
  readonly comments?: readonly (readonly [author: "Ada" | "Grace", text: string])[];
}

const projects: Readonly<Record<string, readonly Entry[]>> = {
  "Ticket machines": [
    {
      title: "The machine at platform 3 prints blank tickets",
      labels: ["bug", "urgent"],
      assignee: "Grace",
      comments: [
        ["Ada", "Is it the paper or the printer?"],
        ["Grace", "The paper. A new roll is on its way."],
      ],
    },
    { title: "Offer day tickets first at weekends", labels: ["idea"] },
    { title: "Prices are cut off in large text", labels: ["bug"], assignee: "Ada", state: "closed" },
  ],
  "Timetable display": [
    { title: "Explain the symbols on the display", labels: ["documentation"], assignee: "Ada" },
    { title: "The clock is a minute late after the night", labels: ["bug"] },
  ],
};

/** Creates a team with projects and issues, unless there are people. */
export async function demo(): Promise<void> {
  if ((await user.search({ limit: 1 }))[1] > 0) return;
  await database.transaction(async () => {
    const ids: Record<string, string> = {};
    for (const name of people) {
      const person = await user.createUser({ email: `${name.toLowerCase()}@example.com`, name, password });
      await user.confirm(person);
      ids[name] = person.id;
    }
    const as = (name: string): { readonly ctx: Context } => ({ ctx: [["user_id", ids[name] ?? ""]] });

    const team = stored(await Team.insert({ name: "Railway" }, as("Ada")));
    const inTeam = { ...as("Ada"), params: { team: team.id } };
    const membership = stored(await Members.insert({ email: "grace@example.com", role: "member" }, inTeam));
    await Members.accept(membership.id, as("Grace"));

    for (const [name, entries] of Object.entries(projects)) {
      const project = stored(await Project.insert({ name, description: undefined }, inTeam));
      const inProject = { ...as("Ada"), params: { project: project.id } };
      const labelIds: Record<string, string> = {};
      for (const label of labelNames) labelIds[label] = stored(await Label.insert({ name: label }, inProject)).id;
      for (const { title, labels, assignee, state = "open", comments = [] } of entries) {
        const label_ids = labels.map((label) => labelIds[label] ?? "");
        const input = {
          title,
          body: undefined,
          state: "open",
          assignee_id: assignee && ids[assignee],
          label_ids,
        } as const;
        const issue = stored(await Issue.insert(input, inProject));
        for (const [author, text] of comments) {
          stored(await Comment.insert({ text }, { ...as(author), params: { issue: issue.id } }));
        }
        if (state === "closed") stored(await Issue.update(issue.id, { ...input, state }, as(assignee ?? "Ada")));
      }
    }
  });
}

/** Returns the written entry of a result. */
function stored<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
