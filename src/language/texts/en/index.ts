import type { FrameworkTexts } from "../types.ts";
import { componentTexts } from "./components.ts";
import { responseTexts } from "./responses.ts";
import { schemaTexts } from "./schema.ts";
import { serviceTexts } from "./services.ts";

/** Texts of limmat in English, the default. Errors carry theirs. */
export const en: FrameworkTexts = {
  schema: schemaTexts,
  components: componentTexts,
  responses: responseTexts,
  services: serviceTexts,
  errors: {},
};
