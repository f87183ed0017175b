import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_APP_NO_SERVER: {
    message: (): string =>
      "None of the services answers requests. Add one to the services of App.create, such as Web.Http.service({ router }).",
  },
  E_APP_SEVERAL_SERVERS: {
    message: (names: readonly string[]): string =>
      `More than one service answers requests: ${names.join(", ")}. An application has one; keep that one in App.create.`,
  },
  E_DOCTOR_PROBLEMS: {
    message: (count: number): string =>
      count === 1
        ? "One problem is to be solved; it is described above."
        : `${count} problems are to be solved; they are described above.`,
  },
  E_APP_RUNNING: {
    message: (): string => "The application was started already. Stop it before it is started again.",
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
