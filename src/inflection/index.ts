export { pluralOf, singularOf } from "./inflection.ts";
