// Chapters 5 and 6 of the tutorial. In update mode, tutorial.long.test.ts follows all of them.
import { followChapters, updates } from "./follow-tutorial.ts";

if (!updates) followChapters(5, 6, { needsData: true });
