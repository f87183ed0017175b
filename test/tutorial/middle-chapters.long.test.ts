// Chapters 7 to 9 of the tutorial. In update mode, tutorial.long.test.ts follows all of them.
import { followChapters, updates } from "./follow-tutorial.ts";

// Chapter 7 replaces all accounts by those of a demo.
if (!updates) followChapters(7, 9);
