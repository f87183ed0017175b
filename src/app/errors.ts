import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_APP_NO_SERVER:
    "No service answers requests. Add one to the services of App.create, such as Web.Http.service({ router }).",
  E_APP_SEVERAL_SERVERS: (names: readonly string[]): string =>
    `Several services answer requests: ${names.join(", ")}. An application has one server. Keep one of them in App.create.`,
  E_DOCTOR_PROBLEMS: (count: number): string =>
    count === 1
      ? "The checks found 1 problem, described above."
      : `The checks found ${count} problems, described above.`,
  E_APP_RUNNING: "The application is already started. Stop it before you start it again.",
};

/** Errors of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
