// Compares the output and the files of all generators with `golden/`.
// `node --conditions=@limmat/source --test --test-update-snapshots test/generators/golden.test.ts` writes them.
import { join } from "node:path";
import { snapshot, test } from "node:test";
import { bookFields } from "./book-fields.ts";
import { testProject } from "./project.ts";

snapshot.setDefaultSnapshotSerializers([(value: unknown) => String(value)]);

const fieldsOfAllTypes = [...bookFields(""), "order:int?:unique", "class:string:index"];

const commands: Readonly<Record<string, readonly string[]>> = {
  "gen.model": ["gen.model", "sqlite", "note", "title:string:unique", "place:int?:unique", "done:bool", "--wire"],
  "gen.view": ["gen.view", "note", "title:string", "done:bool"],
  "gen.html": ["gen.html", "sqlite", "book", ...fieldsOfAllTypes, "--wire"],
  "gen.html.members": [
    "gen.html",
    "sqlite",
    "issue",
    "title:string",
    "state:oneOf(open,closed)",
    "assignee:user?",
    "labels:many(label)",
    "number:int:unique",
    "--in=project",
    "--owner",
    "--members",
    "--wire",
  ],
  "gen.html.team": ["gen.html", "sqlite", "team", "name:string", "--members", "--wire"],
  "gen.model.user": ["gen.model", "order", "title:string", "customer:user?", "--wire"],
  "gen.html.user": ["gen.html", "sqlite", "loan", "title:string", "borrower:user", "--wire"],
  "gen.auth": ["gen.auth", "--wire"],
  "gen.json": ["gen.json", "sqlite", "line_item", "amount:int?", "--wire"],
  "gen.json.token": ["gen.json", "sqlite", "line_item", "amount:int?", "--token", "--wire"],
  "gen.migration": ["gen.migration", "add_priority_to_notes", "priority:int", "due_on:date?", "--wire"],
  "gen.migration.remove": ["gen.migration", "remove_text_from_greetings", "text:string", "--wire"],
  "gen.migration.create": ["gen.migration", "create_labels", "name:string:unique", "author:author"],
  "gen.migration.drop": ["gen.migration", "drop_greetings", "--wire"],
  "gen.migration.empty": ["gen.migration", "count_greetings", "--wire"],
  "gen.command": ["gen.command", "report.send", "--wire"],
  "gen.job": ["gen.job", "report.send", "--wire"],
  "gen.job.fields": ["gen.job", "order.mail", "order:uuid", "total:decimal?", "state:oneOf(paid,sent)"],
  "gen.mail": ["gen.mail", "order_confirmation", "order:uuid", "total:decimal", "sent_at:datetime?", "--wire"],
  "gen.schedule": ["gen.schedule", "report.send", "--wire"],
  "gen.middleware": ["gen.middleware", "request_time", "--wire"],
  "gen.webhook": ["gen.webhook", "card_payment", "--wire"],
  "gen.role": ["gen.role", "employee", "packer", "manager", "--wire"],
  "gen.upload": ["gen.upload", "album", "cover", "--wire"],
  "gen.admin": ["gen.admin", "author", "album", "--wire"],
  "gen.service": ["gen.service", "weather", "--wire"],
};

/** Commands in a project that speaks German and French. */
const translated: Readonly<Record<string, readonly string[]>> = {
  "gen.language": ["gen.language", "de", "fr", "--wire"],
  "gen.language.html": [
    "gen.html",
    "issue",
    "title:string:unique",
    "state:oneOf(open,closed)",
    "assignee:user?",
    "--in=project",
    "--members",
    "--wire",
  ],
  "gen.language.mail": ["gen.mail", "order_confirmation", "total:decimal", "paid:bool", "--wire"],
};

for (const [name, argv] of Object.entries({ ...commands, ...translated })) {
  test(`${name} writes the golden files`, async (context) => {
    using project = testProject();
    await project.run("gen.model", "sqlite", "author", "name:string", "--wire");
    if (name.startsWith("gen.language.")) await project.run("gen.language", "de", "fr", "--wire");
    const needsUsers = /^gen\.html\.|^gen\.language\.html$|\.user$|^gen\.(?:role|upload|admin)$/.test(name);
    if (needsUsers) await project.run("gen.auth", "--wire");
    if (argv.includes("album")) await project.run("gen.html", "album", "title:string", "--owner", "--wire");
    if (argv.includes("--in=project")) {
      await project.run("gen.html", "sqlite", "project", "name:string", "--members", "--wire");
      await project.run("gen.html", "sqlite", "label", "name:string", "--in=project", "--members", "--wire");
    }
    const before = project.files();
    const { stdout } = await project.run(...argv);
    const changed = Object.entries(project.files()).filter(([path, text]) => before[path] !== text);
    const parts = [["command line", `${argv.join(" ")}\n\n${stdout}\n`], ...changed];
    const text = parts.map(([path, content]) => `=== ${path}\n${content}`).join("\n");
    context.assert.fileSnapshot(text, join(import.meta.dirname, "golden", `${name}.txt`));
  });
}
