import assert from "node:assert/strict";
import { after, before } from "node:test";
import { type Demo, type DemoOptions, makeDemo } from "./demo.ts";
import { person, type Person } from "./person.ts";

/** Demo application that listens, in the tests of a file. */
export interface RunningDemo {
  readonly demo: Demo;
  readonly port: number;
  /** User with a session and a token. */
  readonly alice: Person;
}

/** Starts the demo application before the tests of a file. Stops it after them, and fails if it has logged an error. */
export function runDemo(options?: DemoOptions): RunningDemo {
  const running = {} as RunningDemo;
  before(async () => {
    const demo = makeDemo(options);
    const port = await demo.start();
    Object.assign(running, { demo, port, alice: await person(demo.app) });
  });
  after(async () => {
    await running.demo.stop();
    assert.deepEqual(running.demo.faults, []);
  });
  return running;
}
