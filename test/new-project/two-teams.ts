// A generated project with two teams: the tests in the folder "in-project" attack one of them as a member of the other.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { type TestProject, testProject } from "../generators/project.ts";
import { root } from "../sources.ts";
import { run, shellEnvironment } from "./package.ts";

/** Fields of all types and references of all kinds, in models of two levels below a team, of an owner and of everybody. */
const commands = [
  "gen.auth",
  "gen.html project name:string summary:text? --members",
  "gen.html label name:string:unique --in=project --members",
  "gen.html issue title:string state:oneOf(open,closed) due_on:date? estimate:decimal? extra:json? reference:uuid? urgent:bool at:datetime? assignee:user? watchers:many(user) label:label? labels:many(label) duplicate:issue? number:int?:unique --in=project --owner --members",
  "gen.html comment text:text author:user? reply:comment? readers:many(user) --in=issue --owner --members",
  "gen.html diary text:text --owner",
  "gen.html loan thing:string borrower:user",
  "gen.json sticker name:string --token",
  "gen.upload project photo",
  "gen.upload issue photo",
  "gen.upload diary photo",
];

/** Files of the folder "in-project", and where the project has them. */
const files = {
  "team-api.ts": "routes/team-api.ts",
  "two-teams.ts": "test/two-teams.ts",
  "team-requests.ts": "test/team-requests.ts",
  "team-report.ts": "test/team-report.ts",
  "two-teams-attack.ts": "test/two-teams.test.ts",
};

async function generate(database: string): Promise<TestProject> {
  const project = testProject();
  symlinkSync(join(root, "node_modules"), join(project.root, "node_modules"));
  project.write("package.json", '{ "type": "module" }');
  project.write("service/service.ts", project.read("service/service.ts").replaceAll("sqlite", database));
  for (const command of commands) {
    const { code, stderr } = await project.run(...command.split(" "), "--wire");
    assert.equal(code, 0, `${command}: ${stderr}`);
  }
  for (const [source, target] of Object.entries(files)) {
    copyFileSync(join(import.meta.dirname, "in-project", source), join(project.root, target));
  }
  const routes = project.read("routes/routes.ts");
  const wired = routes.replace("Web.choose([site, api,", "Web.choose([site, teamApi, api,");
  assert.notEqual(wired, routes);
  project.write("routes/routes.ts", `import { teamApi } from "./team-api.ts";\n${wired}`);
  return project;
}

/** Defines the test of a project with two teams on a database. */
export function testTwoTeams(database: string, url: string): void {
  test(`${database}: a member of a team neither reads nor changes anything of another team`, async () => {
    using project = await generate(database);
    const types = ["node_modules/typescript/bin/tsc", "--noEmit", "--customConditions", "@limmat/source"];
    run(process.execPath, types, project.root);

    const env = {
      ...shellEnvironment(),
      DATABASE_URL: url,
      CHECK_CSRF: "true",
      LOG_LEVEL: "error",
      PASSWORD_MEMORY: "8",
      PASSWORD_PASSES: "1",
    };
    const args = ["--conditions=@limmat/source", "--test", "test/two-teams.test.ts"];
    const child = spawn(process.execPath, args, { cwd: project.root, env, stdio: ["ignore", "pipe", "pipe"] });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    assert.equal(code, 0, output + errors);
    assert.match(output, /pass 4\n/);
  });
}
