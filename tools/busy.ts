// Keeps half of all cores busy, to see how tests behave on a machine that does other things as well. Ctrl-C ends it.
//
// node tools/busy.ts [minutes]   default: 60
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

const minutes = Number(process.argv[2] ?? 60);
if (!(minutes > 0)) {
  console.error("Usage: node tools/busy.ts [minutes]");
  process.exit(2);
}

/** Duration of a period in milliseconds. A worker computes for half of it, as other programs do: in bursts, not evenly. */
const periodMs = 1000;
const program = `
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const endMs = performance.now() + ${periodMs / 2};
    while (performance.now() < endMs);
    Atomics.wait(pause, 0, 0, ${periodMs / 2});
  }`;
const workers = Array.from({ length: availableParallelism() }, () => new Worker(program, { eval: true }));
console.log(`Process ${process.pid} keeps half of ${workers.length} cores busy for ${minutes} minutes.`);
setTimeout(() => process.exit(), minutes * 60_000);
