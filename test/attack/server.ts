// The demo application in a separate process, as `server` runs it. LIMITS contains limits as JSON. Prints the values that
// the tests read: the address, logged errors, and finally the numbers of requests received and answered.
import { once } from "node:events";
import { type Log, Time, Web } from "limmat";
import { sql } from "limmat/database";
import { makeDemo } from "./demo.ts";

const told = JSON.parse(process.env["LIMITS"] ?? "{}") as Partial<Web.Http.Limits>;
// Limits of a usual application, which the demo application changes.
const limits: Partial<Web.Http.Limits> = {
  maxEventLoopDelayMs: Time.seconds(1),
  keepAliveMs: Time.seconds(5),
  ...told,
};
/** Returns the processor time used, in milliseconds. */
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

// Exit with the parent process, which may be killed.
process.on("disconnect", () => process.exit());
process.on("unhandledRejection", (error) => console.log(`fault unhandled ${String(error)}`));
process.on("message", async (wish) => {
  if (wish === "empty") await database.exec(sql`delete from items`);
  (globalThis as { gc?: () => void }).gc?.();
  process.send?.({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed, cpu: spent(), begun, ended });
});
process.on("exit", () => console.log(`count ${begun} ${ended}`));

const stopSignal = once(process, "SIGTERM");

/** Answers some time after the server was told to stop. */
const answerAfterStop: Web.Handler = async () => {
  await stopSignal;
  await Time.sleep(100);
  return Web.Response.text("stopping");
};

const { app, database } = makeDemo({
  limits,
  middlewares: [count],
  routes: [Web.get("/after-stop", answerAfterStop)],
  onLog,
});
await app.run(["server"]);
