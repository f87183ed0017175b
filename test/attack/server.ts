// The demo application in a process of its own, as `server` runs it. LIMITS holds limits as JSON. Prints what the tests
// look at: the address, everything that is logged as an error, and at the end how many requests began and ended.
import { type Log, Time, type Web } from "limmat";
import { sql } from "limmat/database";
import { makeDemo } from "./demo.ts";

const told = JSON.parse(process.env["LIMITS"] ?? "{}") as Partial<Web.Http.Limits>;
// What is usual, which the demo application leaves out.
const limits = { delay: Time.seconds(1), ...told };
/** Milliseconds of processor time. */
const spent = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

let begun = 0;
let ended = 0;

const count: Web.Middleware = (handler) => (request) => {
  begun++;
  const answer = handler(request);
  if (!(answer instanceof Promise)) {
    ended++;
    return answer;
  }
  return answer.finally(() => void ended++);
};

const onLog = ({ level, message, fields }: Log.Entry): void => {
  if (level === "error") console.log(`fault ${message} ${JSON.stringify(fields)}`);
  if (message.startsWith("Listening")) console.log(message);
};

// Who started it may be killed: then nobody is left to end it.
process.on("disconnect", () => process.exit());
process.on("unhandledRejection", (error) => console.log(`fault unhandled ${String(error)}`));
process.on("message", async (wish) => {
  if (wish === "empty") await database.exec(sql`delete from items`);
  (globalThis as { gc?: () => void }).gc?.();
  process.send?.({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed, cpu: spent(), begun, ended });
});
process.on("exit", () => console.log(`count ${begun} ${ended}`));

const { app, database } = makeDemo({ limits, middlewares: [count], onLog });
await app.run(["server"]);
