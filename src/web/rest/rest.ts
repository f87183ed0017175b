export {
  type Action,
  type Conflict,
  type ConflictField,
  type FieldErrors,
  type Identified,
  type ItemRequest,
  type Refusal,
  type Resource,
  type ResourceController,
  type ResourceService,
  type ResourceView,
  type ServiceOptions,
  type Stale,
} from "./contract.ts";
export { can, type ResourceParent, type ResourcePolicy } from "./access.ts";
export { type ControllerDefinition, controllerOfService } from "./controller.ts";
export {
  type JsonController,
  type JsonControllerDefinition,
  jsonControllerOfService,
  type JsonOptions,
} from "./json-controller.ts";
export type { ResourceTexts } from "./messages.ts";
export { itemPath, listPath } from "./paths.ts";
export {
  type JsonAction,
  jsonOfService,
  type JsonOfServiceOptions,
  resourceOfController,
  type ResourceOfControllerOptions,
  resourceOfService,
  type ResourceOfServiceOptions,
} from "./resource.ts";
export {
  type SingularAction,
  type SingularJsonAction,
  singularJsonOfService,
  type SingularJsonOfServiceOptions,
  singularOfService,
  type SingularOfServiceOptions,
  type SingularService,
} from "./singular.ts";
export type { JsonResourceSchema, StandardObjectSchema } from "./standard-schema.ts";
export type { Versions } from "./version.ts";
