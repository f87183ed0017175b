// The last chapters of the tutorial. In update mode, tutorial.long.test.ts follows all of them.
import { chapters, compareWithExample, followChapters, updates } from "./follow-tutorial.ts";

if (!updates) {
  followChapters(10, chapters.length);
  compareWithExample();
}
