import { Form, Storage } from "limmat";
import { Csrf, Flash, type Request, Response } from "limmat/web";
import * as Attachment from "../../app/domain/attachment/attachment.ts";
import * as Issue from "../../app/domain/issue/issue.ts";
import { text } from "../../language/language.ts";
import { database, storage } from "../../service/service.ts";
import { userContext } from "../middleware/user-context.ts";
import * as AttachmentView from "../view/attachment.ts";

export const maxFileBytes = 5_000_000;

/** Stores an uploaded file and its attachment in one transaction. */
export async function create(request: Request<{ readonly issue: string }>): Promise<Response> {
  const { params } = request;
  const options = { ctx: await userContext(request), params };
  if ((await Issue.find(params.issue, options)) === undefined) {
    return Response.text(text.issue.missing, { status: 404 });
  }
  return request.upload(
    async ({ file }) => {
      const sent = file("file");
      if (sent === undefined) {
        const form = Form.withErrors(Attachment.schema.fill(), { file: text.attachment.chooseFile });
        return Response.html(AttachmentView.new(request, Csrf.find(request), form), { status: 422 });
      }
      await database.transaction(async () => {
        const { id, filename, size } = await storage.put(sent);
        const result = await Attachment.insert({ name: filename, size, file: id }, options);
        if (!result.ok) throw new Error(JSON.stringify(result.error));
      });
      return Flash.setNotice(text.attachment.added, Response.redirect(request.path));
    },
    { maxFiles: 1, maxFileBytes },
  );
}

/** Sends the file of an attachment, as a download. */
export async function download(request: Request<{ readonly id: string }>): Promise<Response> {
  const attachment = await Attachment.find(request.params.id, { ctx: await userContext(request) });
  if (attachment === undefined) return Response.text(text.attachment.missing, { status: 404 });
  return Storage.Web.file(request, storage, attachment.file);
}
