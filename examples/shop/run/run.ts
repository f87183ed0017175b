// Registers all services and commands of the application.
import { resolve } from "node:path";
import { App, Schedule, Seed, Web } from "limmat";
import { commands } from "../app/command/command.ts";
import { schedules } from "../app/schedule/schedule.ts";
import * as seeds from "../database/seed.ts";
import { router } from "../routes/routes.ts";
import {
  account,
  database,
  email,
  idempotency,
  migration,
  passwordReset,
  queue,
  storage,
  token,
  user,
  webhook,
} from "../service/service.ts";
import { paymentSecret } from "../web/handler/payment.ts";
import { jobs } from "../app/job/job.ts";

const seed = Seed.service({ database, seeds });
export const schedule = Schedule.service(schedules, { database });
const http = Web.Http.service({ router, middlewares: [] });

queue.register(...jobs);

export const app = App.create({
  root: resolve(import.meta.dirname, ".."),
  services: [
    database,
    migration,
    seed,
    schedule,
    idempotency,
    http,
    queue,
    email,
    token,
    user,
    account,
    passwordReset,
    storage,
    webhook,
  ],
  commands,
  configuration: [paymentSecret],
});

if (import.meta.main) await app.run();
