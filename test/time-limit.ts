// Loaded before every test file.

// The runner cancels a test that takes too long, but waits without limit for a process whose tests have finished or never
// begin. Exits such a process, so that its file fails.
const minutes = 30;

// Warnings about calls that a later version of Node or of a package refuses, or that set a wrong timer. They fail the file.
const fatalWarnings = ["DeprecationWarning", "TimeoutNegativeWarning", "TimeoutNaNWarning", "TimeoutOverflowWarning"];

// `node --test` loads this file as well, and has no limit.
if (!process.execArgv.includes("--test")) {
  // Removes the flags of the test runner, which child processes would inherit: this import and the reporter.
  process.execArgv = process.execArgv.filter((flag) => !/time-limit|^--test-/.test(flag));
  setTimeout(() => {
    const resources = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(
      `${process.argv[1]} has not exited after ${minutes} minutes. Active resources: ${resources}\n`,
    );
    process.exit(1);
  }, minutes * 60_000).unref();

  process.on("warning", (warning) => {
    if (!fatalWarnings.includes(warning.name)) return;
    process.stderr.write(`${process.argv[1]} caused a warning: ${warning.stack ?? warning.message}\n`);
    process.exitCode = 1;
  });
}
