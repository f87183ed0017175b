import { Query, type Request, type Response } from "limmat/web";
import * as Issue from "../../app/domain/issue/issue.ts";
import * as Label from "../../app/domain/label/label.ts";
import { personName } from "../../app/domain/membership/person.ts";
import { csv } from "../view/components.ts";
import * as IssueView from "../view/issue.ts";

const maxRows = 1000;

/** Sends the issues of a list as a CSV file. */
export async function download(request: Request<{ readonly project: string }>): Promise<Response> {
  const query = { ...Query.ofRequest(request, IssueView.listRules), limit: maxRows };
  const [items] = await Issue.search(query, { params: request.params });
  return csv(
    items,
    [
      "title",
      "state",
      { label: "Assignee", value: ({ assignee }) => assignee && personName(assignee) },
      { label: "Labels", value: ({ labels }) => labels.map(Label.labelOf).join(", ") },
      { label: "Added", value: ({ created_at }) => created_at },
    ],
    { filename: "issues.csv" },
  );
}
