import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Issue from "../app/domain/issue/issue.ts";
import * as IssueFactory from "./factory/issue.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

/** Returns the decoded title, and the message at its field. */
function decodeTitle(title: string): readonly [value: string | undefined, message: string | undefined] {
  const { form, value } = Issue.schema.decode([
    ["title", title],
    ["state", "open"],
  ]);
  return [value?.title, Form.find(form, "title")[1]];
}

test("a title has several words, and no spaces around them", () => {
  assert.deepEqual(decodeTitle("   "), [undefined, "Please fill this in"]);
  assert.deepEqual(decodeTitle("Bug"), [undefined, "Please use more than one word"]);
  assert.deepEqual(decodeTitle(" The door creaks "), ["The door creaks", undefined]);
});

test("an issue of another team is as missing as one that does not exist", async () => {
  const { id } = await IssueFactory.make();
  const eve = await loggedIn({ ctx: await IssueFactory.newUserContext() });
  const paths = [`/issues/${id}`, "/issues/00000000-0000-4000-8000-000000000000"];
  const [foreign, unknown] = await Promise.all(paths.map((path) => eve.get(path)));
  assert.equal(foreign?.status, 404);
  assert.equal(unknown?.status, 404);
});
