export { pluralize, singularize } from "./inflection.ts";
