// Registers all services, jobs and schedules of the application.
import { resolve } from "node:path";
import { App, Schedule, Web } from "limmat";
import { jobs } from "../app/job/job.ts";
import { schedules } from "../app/schedule/schedule.ts";
import { router } from "../routes/routes.ts";
import { account, database, email, migration, passwordReset, queue, token, user } from "../service/service.ts";

queue.register(...jobs);
const schedule = Schedule.service(schedules, { database });
const http = Web.Http.service({ router });

export const app = App.create({
  root: resolve(import.meta.dirname, ".."),
  services: [database, migration, user, token, queue, email, account, passwordReset, schedule, http],
});

if (import.meta.main) await app.run();
