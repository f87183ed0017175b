import { sqlite } from "limmat/database/sqlite";
import { userContract } from "./user-contract.ts";

userContract("SQLite", () => sqlite({ url: ":memory:" }));
