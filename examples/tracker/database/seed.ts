import type { Context } from "limmat";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as Label from "../app/domain/label/label.ts";
import * as Membership from "../app/domain/membership/membership.ts";
import * as Project from "../app/domain/project/project.ts";
import * as Team from "../app/domain/team/team.ts";
import { database, user } from "../service/service.ts";

const password = "a demo of the tracker";

const people = [
  { email: "ada@example.com", name: "Ada" },
  { email: "grace@example.com", name: "Grace" },
  { email: "alan@example.com", name: "Alan" },
] as const;

const labelNames = ["bug", "idea", "documentation", "urgent"] as const;

interface Entry {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly (typeof labelNames)[number][];
  readonly assignee?: "Ada" | "Grace";
  readonly state?: "closed";
  readonly comments?: readonly (readonly [author: "Ada" | "Grace", text: string])[];
}

const projects: Readonly<Record<string, readonly Entry[]>> = {
  "Ticket machines": [
    {
      title: "The machine at platform 3 prints blank tickets",
      body: "Since Tuesday, about one ticket in ten is blank. Paying works.",
      labels: ["bug", "urgent"],
      assignee: "Grace",
      comments: [
        ["Ada", "Is it the paper or the printer?"],
        ["Grace", "The paper. A new roll is on its way."],
      ],
    },
    {
      title: "Offer day tickets first at weekends",
      body: "Most people who buy two single tickets on a Saturday want a day ticket.",
      labels: ["idea"],
    },
    {
      title: "Prices are cut off in large text",
      body: "With the largest text size, the last digit is outside of the button.",
      labels: ["bug"],
      assignee: "Ada",
      state: "closed",
      comments: [["Ada", "The button grows with its text now."]],
    },
  ],
  "Timetable display": [
    {
      title: "Explain the symbols on the display",
      body: "A page that says what the bicycle, the bed and the star mean.",
      labels: ["documentation"],
      assignee: "Ada",
    },
    {
      title: "The clock is a minute late after the night",
      body: "It is right again at about five o'clock.",
      labels: ["bug"],
    },
  ],
};

/** Creates a team with projects and issues, unless there are people. */
export async function demo(): Promise<void> {
  if ((await user.search({ limit: 1 }))[1] > 0) return;
  await database.transaction(async () => {
    const ids: Record<string, string> = {};
    for (const person of people) ids[person.name] = (await user.createUser({ ...person, password })).id;
    const as = (name: string): { readonly ctx: Context } => ({ ctx: [["user_id", ids[name] ?? ""]] });

    const team = stored(await Team.insert({ name: "Railway" }, as("Ada")));
    const inTeam = { ...as("Ada"), params: { team: team.id } };
    stored(await Membership.insert({ member_id: ids["Grace"] ?? "", role: "member" }, inTeam));
    stored(await Membership.insert({ member_id: ids["Alan"] ?? "", role: "guest" }, inTeam));

    const labelIds: Record<string, string> = {};
    for (const name of labelNames) labelIds[name] = stored(await Label.insert({ name })).id;

    for (const [name, entries] of Object.entries(projects)) {
      const { id: project } = stored(await Project.insert({ name, description: undefined }, inTeam));
      for (const { title, body, labels, assignee, state = "open", comments = [] } of entries) {
        const input = {
          title,
          body,
          state: "open",
          assignee_id: assignee && ids[assignee],
          label_ids: labels.map((label) => labelIds[label] ?? ""),
        } as const;
        const issue = stored(await Issue.insert(input, { ...as("Ada"), params: { project } }));
        for (const [author, text] of comments) {
          stored(await Comment.insert({ text }, { ...as(author), params: { issue: issue.id } }));
        }
        if (state === "closed") stored(await Issue.update(issue.id, { ...input, state }, as(assignee ?? "Ada")));
      }
    }
  });
}

/** Returns the written entry of a result. */
function stored<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
