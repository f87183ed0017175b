import { errors } from "./errors.ts";
import { type Script, sh } from "./shell.ts";
import { environmentOf, lastLines, releaseFolder, runAgent, runStep, type DeployTarget } from "./target.ts";

/**
 * Checks a release on the host with the configuration of production, and migrates the database. The release that runs does
 * not change, so it must work with the migrated database as well.
 *
 * @throws E_DEPLOY_STEP with the output of the command that failed.
 */
export async function checkRelease(target: DeployTarget, release: string): Promise<void> {
  const { application, facts, progress } = target;
  const folder = releaseFolder(facts, release);
  const command = (...args: readonly string[]): Script => sh`${environmentOf(folder)}
exec node_modules/.bin/node run/run.ts ${args} </dev/null`;
  await progress.step("check the configuration", async () => {
    await runStep(target, "check the configuration", command("config", "--check"));
  });
  if (application.hasMigrations) {
    const pendingCount = await progress.step("check the migrations", async (setDetail) => {
      const { code, stdout, stderr } = await target.remote.run(command("migrate", "--dry-run", "--check", "--json"));
      const { pending = [], findings = [] } = parsePlan(stdout);
      if (code !== 0) {
        const report = findings.map(({ step, rule, problem, advice }) => `  ${step}: ${rule}: ${problem} ${advice}`);
        throw errors.E_DEPLOY_STEP("check the migrations", report.join("\n") || lastLines(`${stdout}\n${stderr}`));
      }
      setDetail(`${pending.length} pending`);
      return pending.length;
    });
    if (pendingCount > 0) {
      await progress.step("doctor, before the migrations", () => askDoctor(target, command("doctor", "--json"), true));
    }
    await progress.step("migrate", () => runStep(target, "migrate", command("migrate")));
  }
  if (Object.keys(application.sqliteKeys).length > 0) {
    await runStep(target, "check the configuration", findDatabaseInside(folder, Object.keys(application.sqliteKeys)));
  }
  const warnings = await progress.step("doctor", async (setDetail) => {
    const findings = await askDoctor(target, command("doctor", "--json"), false);
    const count = findings.length;
    setDetail(count === 0 ? "no warnings" : `${count} ${count === 1 ? "warning" : "warnings"}`);
    return linesOf(findings);
  });
  for (const line of warnings) progress.note(line);
}

/** Codes of problems that a migration may solve. */
const migrationCodes = ["E_MIGRATION_PENDING", "E_DATABASE_NO_TABLE", "E_DATABASE_STATEMENT"];

/**
 * Runs `doctor` and returns its warnings.
 *
 * @throws E_DEPLOY_STEP for a problem, before the migrations only for one that they cannot solve
 */
async function askDoctor(
  target: DeployTarget,
  command: Script,
  isBeforeMigrations: boolean,
): Promise<readonly DoctorFinding[]> {
  const { code: exitCode, stdout, stderr } = await target.remote.run(command);
  const findings = parseFindings(stdout).filter(({ level }) => level !== "ok");
  const problems = findings.filter(({ level }) => level === "problem");
  const isSolvable = ({ code = "" }: DoctorFinding): boolean => isBeforeMigrations && migrationCodes.includes(code);
  if (exitCode !== 0 && (problems.length === 0 || !problems.every(isSolvable))) {
    const reported = findings.filter((finding) => !isSolvable(finding));
    throw errors.E_DEPLOY_STEP("doctor", lastLines(linesOf(reported).join("\n") || `${stdout}\n${stderr}`));
  }
  return findings;
}

const linesOf = (findings: readonly DoctorFinding[]): readonly string[] =>
  findings.flatMap(({ subject, message, advice }) => [
    `${subject}: ${message}`,
    ...(advice === undefined ? [] : [`  ${advice}`]),
  ]);

/** Returns a script that fails if a database was created in the folder of the release, which the next one would not find. */
const findDatabaseInside = (folder: string, keys: readonly string[]): Script => sh`cd ${folder}
found=$(find . -path ./node_modules -prune -o -name '*.sqlite-lock' -print -o -name '*.sqlite-wal' -print | head -n 1)
[ -z "$found" ] && found=$(find . -path ./node_modules -prune -o -name '*.sqlite' -newer package.json -print | head -n 1)
if [ -n "$found" ]; then
  echo "The database $found is in the folder of the release, and the next release would not find it." >&2
  echo "Set" ${keys} "to an absolute path, such as one in" ${`${folder}/../../shared/database`} >&2
  exit 1
fi`;

interface MigrationPlan {
  readonly pending?: readonly unknown[];
  readonly findings?: readonly {
    readonly step: string;
    readonly rule: string;
    readonly problem: string;
    readonly advice: string;
  }[];
}

function parsePlan(text: string): MigrationPlan {
  try {
    return JSON.parse(text.trim()) as MigrationPlan;
  } catch {
    return {}; // The command failed before it printed a plan.
  }
}

interface DoctorFinding {
  readonly level: "ok" | "warning" | "problem";
  readonly subject: string;
  readonly message: string;
  readonly advice?: string;
  readonly code?: string;
}

function parseFindings(text: string): readonly DoctorFinding[] {
  try {
    return (JSON.parse(text) as { readonly findings: readonly DoctorFinding[] }).findings;
  } catch {
    return []; // A hook of the application printed more than the report.
  }
}

/**
 * Starts a release on an address of its own and requests its health page, before any visitor reaches it.
 *
 * @throws E_DEPLOY_HEALTH
 */
export async function rehearse(target: DeployTarget, release: string): Promise<void> {
  const { facts, progress } = target;
  await progress.step("start the release for a health check", async () => {
    const { ok, reason = "", output = "" } = await runAgent(target, release, "rehearse");
    if (ok) return;
    const outcome = facts.current === undefined ? "nothing was started." : `${facts.current} still runs.`;
    throw errors.E_DEPLOY_HEALTH(release, outcome, `${lastLines(reason)}\n${lastLines(output)}`);
  });
}
