// Registers all services and commands of the application.
import { resolve } from "node:path";
import { App, Schedule, Seed, Web } from "limmat";
import { commands } from "../app/command/command.ts";
import { jobs } from "../app/job/job.ts";
import { schedules } from "../app/schedule/schedule.ts";
import * as seeds from "../database/seed.ts";
import { language } from "../language/language.ts";
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
} from "../service/service.ts";
import * as TeamMembers from "../app/domain/team/members.ts";

const seed = Seed.service({ database, seeds });
export const schedule = Schedule.service(schedules, { database });
const http = Web.Http.service({ router, middlewares: [Web.Middleware.language(language)] });

user.registerChecks(TeamMembers.checkRemoval);

queue.register(...jobs);

export const app = App.create({
  root: resolve(import.meta.dirname, ".."),
  services: [
    language,
    database,
    migration,
    seed,
    schedule,
    storage,
    idempotency,
    http,
    queue,
    email,
    token,
    user,
    account,
    passwordReset,
  ],
  commands,
});

if (import.meta.main) await app.run();
