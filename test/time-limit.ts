// Loaded before every test file. The runner ends a test that takes too long, but waits for ever for a file whose tests are
// over and whose process goes on, or whose tests never begin: here that file ends, and so it is the one that has failed.
const minutes = 30;

// The runner loads this, too, and has no such limit.
if (process.env["NODE_TEST_CONTEXT"] !== undefined) {
  // Nor have processes that a test starts with the flags of its own: they run in other folders.
  process.execArgv = process.execArgv.filter((flag) => !flag.includes("time-limit"));
  setTimeout(() => {
    const resources = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(
      `${process.argv[1]} has not ended after ${minutes} minutes. What keeps it alive: ${resources}\n`,
    );
    process.exit(1);
  }, minutes * 60_000).unref();
}
