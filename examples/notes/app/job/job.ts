import { digest } from "../domain/digest/digest.ts";

export const jobs = [digest];
