// The chapters of the tutorial after those of tutorial.long.test.ts, which writes all of them in update mode.
import { chapters, compareWithExample, followChapters, updates } from "./follow-tutorial.ts";

if (!updates) {
  followChapters(8, chapters.length);
  compareWithExample();
}
