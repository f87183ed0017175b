import { weeklyDigest } from "./digest.ts";

export const schedules = [weeklyDigest];
