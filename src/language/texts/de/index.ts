import type { FrameworkTexts } from "../types.ts";
import { componentTexts } from "./components.ts";
import { errorTexts } from "./errors.ts";
import { responseTexts } from "./responses.ts";
import { schemaTexts } from "./schema.ts";
import { serviceTexts } from "./services.ts";

/** Texts of limmat in German. */
export const de: FrameworkTexts = {
  schema: schemaTexts,
  components: componentTexts,
  responses: responseTexts,
  services: serviceTexts,
  errors: errorTexts,
};
