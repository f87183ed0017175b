import { LogInternals } from "../../src/log/index.ts";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { App, Cleaner, Configuration, Log, Migration, User } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import type { Database } from "limmat/database";
import { accountCases } from "./account-cases.ts";
import { cheap, goodPassword, type UserFixture } from "./fixture.ts";
import { loginCases } from "./login-cases.ts";
import { passwordCases } from "./password-cases.ts";
import { sessionCases } from "./session-cases.ts";

/** Contract of the user service, run on every database. */
export function userContract(name: string, makeDatabase: () => Database): void {
  describe(`users in ${name}`, () => {
    const database = makeDatabase();
    const users = User.service({ database });
    const migration = Migration.service({ database, onPending: "run" });
    const app = App.create({ services: [users, migration] });

    before(async () => {
      Configuration.store(Object.entries(cheap));
      await app.start();
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
      LogInternals.reset();
    });
    beforeEach(async () => {
      Log.configure({ reporters: [] });
      // Restores the values that a test changed.
      Configuration.store(Object.entries(cheap));
      await Cleaner.cleanAll();
    });

    const register = async (email: string, password = goodPassword): Promise<User.User> => {
      const registered = await users.registerUser({ email, password, confirmation: password });
      assert.ok(registered.ok, JSON.stringify(registered));
      return registered.value;
    };
    const fixture: UserFixture = { database, users, register };

    accountCases(fixture);
    passwordCases(fixture);
    loginCases(fixture);
    sessionCases(fixture);
  });
}
