import assert from "node:assert/strict";
import { test } from "node:test";
import { type DevelopmentSession, limmatProject, startSession } from "./development-session.test.ts";

const policy = "default-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'nonce-abc'";

interface Violation {
  readonly directive: string;
  readonly blocked: string;
  readonly page?: string;
  readonly line?: number;
  readonly file?: string;
  readonly disposition?: "report";
}

async function report(project: DevelopmentSession, violated: Violation): Promise<void> {
  const { directive, blocked, page, line, file, disposition } = violated;
  const violation = {
    "document-uri": page ?? `${project.url}/todos?secret=1`,
    "blocked-uri": blocked,
    "effective-directive": directive,
    "violated-directive": directive,
    "original-policy": policy,
    "line-number": line,
    "source-file": file,
    disposition,
  };
  const headers = { "content-type": "application/csp-report" };
  const { status } = await project.post(
    "/__limmat/policy-reports",
    JSON.stringify({ "csp-report": violation }),
    headers,
  );
  assert.equal(status, 204);
}

const policyLines = ({ printed }: DevelopmentSession): readonly string[] =>
  printed.filter((line) => line.startsWith("Content-Security-Policy"));

test("prints what the policy of a page blocks, with the remedy", async () => {
  await using project = await startSession(limmatProject);
  const app = `${project.url}/assets/app.js?v=1`;
  await report(project, { directive: "script-src-elem", blocked: "inline", line: 12 });
  await report(project, { directive: "script-src-attr", blocked: "inline" });
  await report(project, { directive: "style-src-elem", blocked: "inline" });
  await report(project, { directive: "style-src-attr", blocked: "inline" });
  await report(project, { directive: "img-src", blocked: "https://images.test/a.png?token=secret" });
  await report(project, { directive: "script-src-elem", blocked: "https://cdn.test/x.js" });
  await report(project, { directive: "script-src", blocked: "eval", file: app, line: 3 });
  await report(project, { directive: "connect-src", blocked: "wss://live.test/socket" });
  await report(project, { directive: "img-src", blocked: "https://b.test/b.png", disposition: "report" });
  const remedy = (directive: string, sources: string): string =>
    `add Web.Middleware.securityHeaders({ contentSecurityPolicy: { "${directive}": "${sources}" } }) to the middlewares of Web.Http.service.`;
  assert.deepEqual(
    policyLines(project).map((line) => line.replace("Content-Security-Policy: ", "")),
    [
      'script-src-elem blocked an inline <script> on /todos, line 12. Move it to a file in public or resources, or write <script nonce="${Web.nonce(request)}">.',
      "script-src-attr blocked an event handler attribute, such as onclick, on /todos. Add the listener in a script file: element.addEventListener(…).",
      'style-src-elem blocked an inline <style> on /todos. Move it to a file in public or resources, or write <style nonce="${Web.nonce(request)}">.',
      "style-src-attr blocked a style attribute on /todos. Use a class, and style it in a style sheet.",
      `img-src blocked https://images.test/a.png on /todos. To allow it, ${remedy("img-src", "'self' data: https://images.test")}`,
      `script-src-elem blocked https://cdn.test/x.js on /todos. To allow it, ${remedy("script-src", "'self' https://cdn.test")}`,
      `script-src blocked eval on /todos by /assets/app.js, line 3. If you need it, ${remedy("script-src", "'self' 'unsafe-eval'")}`,
      `connect-src blocked wss://live.test/socket on /todos. To allow it, ${remedy("connect-src", "'self' wss://live.test")}`,
      `Content-Security-Policy-Report-Only: img-src would block https://b.test/b.png on /todos. To allow it, ${remedy("img-src", "'self' data: https://b.test")}`,
    ],
  );
});

test("prints a report once, few in all, and none of other sites, extensions and hostile texts", async () => {
  await using project = await startSession(limmatProject);
  await report(project, { directive: "img-src", blocked: "https://a.test/", page: "http://evil.test/" });
  await report(project, { directive: "script-src", blocked: "chrome-extension", line: 1 });
  await report(project, { directive: "script-src", blocked: "inline", file: "moz-extension://x/y.js" });
  await report(project, { directive: "img-src \u001b[31m", blocked: "inline", page: "nonsense" });
  for (const body of ["", "{", "null", "[]", '{"csp-report":null}', "x".repeat(40_000)]) {
    assert.equal((await project.post("/__limmat/policy-reports", body)).status, 204);
  }
  assert.deepEqual(policyLines(project), []);
  await report(project, { directive: "img-src", blocked: "\u001b[31mred\u202e\nx" });
  await report(project, { directive: "img-src", blocked: "\u001b[31mred\u202e\nx" });
  assert.equal(policyLines(project).length, 1);
  // oxlint-disable-next-line no-control-regex -- the characters that must not be printed
  assert.doesNotMatch(policyLines(project).join(), /[\u0000-\u001f\u202e]/);
  for (let index = 0; index < 30; index++)
    await report(project, { directive: "img-src", blocked: `https://h${index}.test/` });
  assert.equal(policyLines(project).length, 11);
  assert.match(policyLines(project).at(-1) ?? "", /more is blocked/);
});
