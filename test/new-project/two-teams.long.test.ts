// A member of a team attacks another team in a generated project.
import { testTwoTeams } from "./two-teams.ts";

testTwoTeams("sqlite", ":memory:");
