import assert from "node:assert/strict";
import * as Attachment from "../app/domain/attachment/attachment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as Project from "../app/domain/project/project.ts";
import * as Team from "../app/domain/team/team.ts";
import * as AttachmentFactory from "./factory/attachment.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as ProjectFactory from "./factory/project.ts";
import * as TeamFactory from "./factory/team.ts";
import { queue, storage } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Stores a team with a project, an issue and an attachment with a file. */
async function attach() {
  const options = await TeamFactory.context();
  const team = await TeamFactory.make({}, options);
  const project = await ProjectFactory.make({}, { ...options, params: { team: team.id } });
  const issue = await IssueFactory.make({}, { ...options, params: { project: project.id } });
  const { id: file } = await storage.put("Hello", { filename: "hello.txt" });
  const attachment = await AttachmentFactory.make({ file }, { ...options, params: { issue: issue.id } });
  return { options, team, project, issue, attachment, file };
}

type Attached = Awaited<ReturnType<typeof attach>>;

const deletions: Readonly<Record<string, (entries: Attached) => Promise<{ readonly ok: boolean }>>> = {
  attachment: ({ attachment, options }) => Attachment.delete(attachment, options),
  issue: ({ issue, options }) => Issue.delete(issue, options),
  project: ({ project, options }) => Project.delete(project, options),
  team: ({ team, options }) => Team.delete(team, options),
};

for (const [subject, remove] of Object.entries(deletions)) {
  test(`deletes the files of a deleted ${subject}, after the commit`, async () => {
    const kept = await attach();
    const entries = await attach();
    assert.ok((await remove(entries)).ok);
    assert.notEqual(await storage.findOpt(entries.file), undefined);
    const [job] = await queue.runDue();
    assert.equal(job?.status, "succeeded");
    assert.equal(await storage.findOpt(entries.file), undefined);
    assert.notEqual(await storage.findOpt(kept.file), undefined);
  });
}

test("keeps the file of an attachment that is not deleted", async () => {
  const { attachment, file, options } = await attach();
  await assert.rejects(Attachment.delete(attachment, { ...options, version: 7 }), { code: "E_STALE" });
  assert.deepEqual(await queue.runDue(), []);
  assert.notEqual(await storage.findOpt(file), undefined);
});
