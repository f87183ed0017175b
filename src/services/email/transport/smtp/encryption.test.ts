import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { findProgram } from "../../../../../test/servers/process.ts";
import { Configuration } from "../../../../config/index.ts";
import { isError } from "../../../../core/index.ts";
import { isolate, mailServer, type MailServer, message } from "../../mail-server.test.ts";
import { smtp } from "./index.ts";

isolate({ EMAIL_SEND_OUTSIDE_PRODUCTION: "true", SMTP_HOST: "localhost" });

const folder = mkdtempSync(join(tmpdir(), "limmat-mail-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string): string => join(folder, name);

/** Creates a certificate authority and a certificate for `localhost`. Returns false without the tool for it. */
function makeCertificates(t: TestContext): boolean {
  const tool = findProgram("openssl");
  if (tool === undefined) {
    t.skip("openssl is not installed");
    return false;
  }
  const run = (line: string): void => void execFileSync(tool, line.split(" "), { cwd: folder, stdio: "ignore" });
  writeFileSync(file("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  run("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority");
  run("req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost");
  run("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names");
  return true;
}

const encrypting = (secure: boolean): Promise<MailServer> =>
  mailServer({ secure, key: readFileSync(file("server.key")), cert: readFileSync(file("server.pem")) });

async function sendTo(server: MailServer, keys: Readonly<Record<string, string>>): Promise<void> {
  Configuration.store([["SMTP_PORT", String(server.port)], ...Object.entries(keys)]);
  const email = smtp();
  await email.start({ services: [email] });
  try {
    await email.send(message());
  } finally {
    await email.stop();
  }
}

test("an encrypted connection requires a certificate of a trusted authority", async (t) => {
  if (!makeCertificates(t)) return;
  for (const security of ["starttls", "tls"] as const) {
    await using server = await encrypting(security === "tls");
    await assert.rejects(sendTo(server, { SMTP_SECURITY: security }), (error) => {
      assert.ok(isError(error, "E_EMAIL_UNAVAILABLE"));
      assert.match(error.message, /certificate/);
      return true;
    });
    assert.equal(server.mails.length, 0);
    await sendTo(server, { SMTP_SECURITY: security, SMTP_CA_FILE: file("ca.pem") });
    assert.equal(server.mails.length, 1);
    Configuration.store([["SMTP_CA_FILE", ""]]);
  }
});
