import { Query, type Request, Response } from "limmat/web";
import * as Issue from "../../app/domain/issue/issue.ts";
import * as Label from "../../app/domain/label/label.ts";
import * as Project from "../../app/domain/project/project.ts";
import { text } from "../../language/language.ts";
import { userContext } from "../middleware/user-context.ts";
import { csv } from "../view/components.ts";
import * as IssueView from "../view/issue.ts";
import { memberLabel } from "../view/user-label.ts";

const maxRows = 1000;

/** Sends the issues of a list as a CSV file. */
export async function download(request: Request<{ readonly project: string }>): Promise<Response> {
  const options = { ctx: await userContext(request), params: request.params };
  if ((await Project.find(options.params.project, options)) === undefined) {
    return Response.text(text.project.missing, { status: 404 });
  }
  const query = { ...Query.ofRequest(request, IssueView.listRules), limit: maxRows };
  const [items] = await Issue.search(query, options);
  const { fields } = text.issue;
  return csv(
    items,
    [
      { label: fields.title, name: "title" },
      { label: fields.state, value: ({ state }) => text.issue.choices.state[state] },
      { label: fields.assignee_id, value: ({ assignee }) => assignee && memberLabel(assignee) },
      { label: fields.labels, value: ({ labels }) => labels.map(Label.labelOf).join(", ") },
      { label: fields.created_at, value: ({ created_at }) => created_at },
    ],
    { filename: text.issue.fileName },
  );
}
