import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { revertEdit } from "../../src/generators/undo.ts";
import { testProject } from "./project.ts";

const note = ["gen.html", "sqlite", "note", "title:string", "--wire"] as const;

test("gen.undo undoes runs one by one, the last first", async () => {
  using project = testProject();
  project.write(".env.example", "FRAMEWORK_SECRET=\nCHECK_CSRF=true\n");
  const states = [project.files()];
  for (const argv of [note, ["gen.auth", "--wire"], ["gen.job", "report.send", "--wire"]]) {
    assert.equal((await project.run(...argv)).code, 0);
    states.push(project.files());
  }
  for (const expected of states.slice(0, -1).toReversed()) {
    const { code, stdout, stderr } = await project.run("gen.undo");
    assert.deepEqual([code, stderr.match(/Nothing was undone/)], [0, null]);
    assert.match(stdout, /^removed /m);
    assert.match(stdout, /^restored /m);
    assert.deepEqual(project.files(), expected);
  }
  const { code, stderr } = await project.run("gen.undo");
  assert.equal(code, 1);
  assert.match(stderr, /no run of a generator is recorded/);
});

test("gen.undo removes nothing if a generated file has changed", async () => {
  using project = testProject();
  await project.run(...note);
  project.write("web/view/note.ts", "// mine\n");
  const before = project.files();
  for (const flags of [[], ["--dry-run"]]) {
    const { code, stdout, stderr } = await project.run("gen.undo", ...flags);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /have changed since:\n {2}web\/view\/note\.ts\n/);
    assert.deepEqual(project.files(), before);
  }
});

test("gen.undo keeps changes of other lines of an edited file, and accepts a file that is gone", async () => {
  using project = testProject();
  const before = project.read("routes/routes.ts");
  await project.run(...note);
  project.write("routes/routes.ts", `// First\n${project.read("routes/routes.ts")}// Last\n`);
  project.remove("web/view/note.ts");
  assert.equal((await project.run("gen.undo")).code, 0);
  assert.equal(project.read("routes/routes.ts"), `// First\n${before}// Last\n`);
});

test("gen.undo refuses an edited file whose edited lines have changed", async () => {
  using project = testProject();
  await project.run(...note);
  project.write("routes/routes.ts", project.read("routes/routes.ts").replace("notes]", "notes, other]"));
  const before = project.files();
  const { code, stderr } = await project.run("gen.undo");
  assert.equal(code, 1);
  assert.match(stderr, /routes\/routes\.ts/);
  assert.deepEqual(project.files(), before);
});

test("gen.undo skips runs that were undone with git", async () => {
  using project = testProject();
  const committed = project.files();
  const checkOut = (): void => {
    for (const path of Object.keys(project.files())) if (!(path in committed)) project.remove(path);
    for (const [path, text] of Object.entries(committed)) project.write(path, text);
  };
  await project.run("gen.command", "report.send", "--wire");
  checkOut();
  assert.match((await project.run("gen.undo")).stderr, /no run of a generator is recorded/);

  await project.run("gen.job", "report.send", "--wire");
  const withJob = project.files();
  await project.run("gen.command", "report.print", "--wire");
  checkOut();
  for (const [path, text] of Object.entries(withJob)) project.write(path, text);
  await project.run("gen.command", "report.archive", "--wire");
  assert.equal((await project.run("gen.undo")).code, 0);
  assert.deepEqual(project.files(), withJob);
  assert.match((await project.run("gen.undo", "--dry-run")).stdout, /app\/job\/report-send\.ts/);
  assert.equal((await project.run("gen.undo")).code, 0);
  assert.deepEqual(project.files(), committed);
});

test("gen.undo restores a file that --force has overwritten", async () => {
  using project = testProject();
  project.write("web/view/note.ts", "// mine\n");
  const before = project.files();
  await project.run(...note, "--force");
  assert.equal((await project.run("gen.undo")).code, 0);
  assert.deepEqual(project.files(), before);
});

test("gen.undo --dry-run lists the files and changes none", async () => {
  using project = testProject();
  await project.run(...note);
  const before = project.files();
  const { code, stdout } = await project.run("gen.undo", "--dry-run");
  assert.equal(code, 0);
  assert.match(stdout, /^removed {6}web\/view\/note\.ts$/m);
  assert.deepEqual(project.files(), before);
  assert.equal((await project.run("gen.undo")).code, 0);
});

test("gen.undo says how to revert a migration that has run, before and after", async () => {
  using project = testProject();
  await project.run("gen.migration", "add_colour_to_notes", "colour:string", "--wire");
  const { stderr: before } = await project.run("gen.undo", "--dry-run");
  assert.match(before, /run "migrate down" before gen\.undo/);
  const { stderr: after } = await project.run("gen.undo");
  assert.match(after, /run the generator again, "migrate down", then gen\.undo\./);
  await project.run("gen.job", "report.send", "--wire");
  assert.doesNotMatch((await project.run("gen.undo")).stderr, /migrat/);
});

test("a dry run and a refused run cannot be undone", async () => {
  using project = testProject();
  await project.run(...note, "--dry-run");
  await project.run("gen.html", "sqlite", "class", "title:string");
  assert.match((await project.run("gen.undo")).stderr, /no run of a generator is recorded/);
});

test("gen.undo refuses a record that is damaged or names files outside of the project", async () => {
  using project = testProject();
  const forged = JSON.stringify([{ files: [{ path: "../victim", hash: "" }] }]);
  for (const text of ["", "{", "[1]", '[{"files":[{}]}]', forged]) {
    project.write("tmp/generated-files", text);
    const { code, stderr } = await project.run("gen.undo");
    assert.equal(code, 1, text);
    assert.match(stderr, /is damaged/, text);
  }
});

test("reverting an edit restores the text before it, whatever was added around it", () => {
  const line = fc.stringMatching(/^[a-z]{0,3}$/);
  const lines = fc.array(line, { maxLength: 8 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const edit = { before: before.join("\n"), after: after.join("\n") };
      assert.equal(revertEdit(edit.after, edit), edit.before);
      const current = `FIRST\n${edit.after}\nLAST`;
      const reverted = revertEdit(current, edit);
      assert.ok(reverted === undefined || reverted === `FIRST\n${edit.before}\nLAST`);
    }),
  );
});
