import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../servers/process.ts";

const program = ["/usr/sbin/sshd", "/usr/bin/sshd", "/sbin/sshd"].find((path) => existsSync(path));

/** Option `skip` of tests that need sshd: a reason, or false. With `CI=true` a missing sshd is a failure. */
export const sshdSkip: string | false =
  program === undefined && process.env["CI"] !== "true" ? "sshd is not installed (package openssh-server)" : false;

/** An sshd on the loopback address, with keys of its own, which lets the present user in. */
export interface SshServer extends AsyncDisposable {
  /** Name of the host in the configuration of ssh. */
  readonly host: string;
  /** Path of a configuration file of ssh. */
  readonly configFile: string;
}

/**
 * Environment in which bash does not read `~/.bashrc`, as it does for the first shell of a connection. Start files of some
 * machines take seconds, for each command of a deployment.
 */
const startFileSkip: Readonly<Record<string, string>> = { SHLVL: "1" };

/**
 * Starts an sshd.
 *
 * @param variables Environment variables of the sessions.
 */
export async function startSshd(variables: Readonly<Record<string, string>>): Promise<SshServer> {
  if (program === undefined) throw new Error("sshd is not installed");
  const folder = mkdtempSync(join(tmpdir(), "limmat-sshd-"));
  const file = (name: string): string => join(folder, name);
  for (const key of ["host", "user"]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file(key)]);
  }
  writeFileSync(file("authorized_keys"), readFileSync(file("user.pub")), { mode: 0o600 });
  const port = await freePort();
  writeFileSync(
    file("sshd_config"),
    `ListenAddress 127.0.0.1:${port}
HostKey ${file("host")}
AuthorizedKeysFile ${file("authorized_keys")}
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
SetEnv ${Object.entries({ ...startFileSkip, ...variables })
      .map(([key, value]) => `${key}=${value}`)
      .join(" ")}
`,
  );
  writeFileSync(file("known_hosts"), `[127.0.0.1]:${port} ${readFileSync(file("host.pub"), "utf8")}`);
  const user = userInfo().username;
  writeFileSync(
    file("ssh_config"),
    `Host loopback
  HostName 127.0.0.1
  Port ${port}
  User ${user}
  IdentityFile ${file("user")}
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile ${file("known_hosts")}
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  LogLevel ERROR
`,
  );
  // Started by root, sshd needs this folder, which a service creates.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const child = spawn(program, ["-D", "-e", "-f", file("sshd_config")], { stdio: ["ignore", "ignore", "pipe"] });
  const closed = once(child, "close");
  const messages: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    messages.push(line);
    if (/Server listening/.test(line)) break;
  }
  child.stderr.resume();
  if (child.exitCode !== null) throw new Error(`sshd did not start:\n${messages.join("\n")}`);
  return {
    host: "loopback",
    configFile: file("ssh_config"),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
