import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request, Rest } from "limmat/web";
import { type Attachment, type Input, labelOf, schema } from "../../app/domain/attachment/attachment.ts";
import { text } from "../../language/language.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at", "name", "size"],
};

const pages: components.ResourcePages<Attachment, Input> = {
  texts: text.attachment,
  labelOf,
  schema,
  layout,
  components,
  only: ["index", "new", "show", "destroy"],
  ...listRules,
};

const size = {
  name: "size",
  value: (item: Attachment): string => text.attachment.bytes({ size: item.size }),
  isNumeric: true,
} as const;

export const index = components.listPage(pages, {
  columns: ["name", size, "created_at"],
  actions: (item, request, csrf, query) => {
    const path = Rest.itemPath(request, item.id);
    const label = labelOf(item);
    return html`
<a class="button secondary" href="${path}/file" aria-label="${text.attachment.downloadLabel({ name: label })}">${text.attachment.download}</a>
${components.deleteButton({ csrf, action: path + Query.toQueryString(query), label })}`;
  },
  before: (request: Request<{ readonly issue: string }>) =>
    html`<p><a href="${request.prefix}/issues/${request.params.issue}">${text.attachment.back}</a></p>`,
});

export const show = components.itemPage(pages, {
  facts: (request) => [
    "name",
    size,
    {
      name: "file",
      value: ({ id }) => html`<a href="${Rest.itemPath(request, id)}/file">${text.attachment.download}</a>`,
    },
    "created_at",
    "updated_at",
  ],
  links: {},
});

function create(request: Request<{ readonly issue: string }>, csrf: string, data: Form): Html {
  const path = `${request.prefix}/issues/${request.params.issue}/attachments`;
  const options = { csrf, action: path, submit: text.attachment.add, cancel: path, isMultipart: true };
  return layout(
    request,
    text.attachment.title,
    html`
<h1>${text.attachment.title}</h1>
${components.form(options, components.fileField(data, "file", { label: text.attachment.fields.file, isRequired: true }))}`,
  );
}

export { create as new };
