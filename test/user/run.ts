// An application with users, for tests that run its commands in a process of their own.
import { App, Migration, User } from "limmat";
import { sqlite } from "limmat/database/sqlite";

const database = sqlite();
const users = User.service({ database });
const migration = Migration.service({ database });

await App.create({ services: [database, users, migration], reporters: [] }).run();
