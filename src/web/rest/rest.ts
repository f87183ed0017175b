export {
  type Action,
  type FieldErrors,
  type Identified,
  type ItemRequest,
  type Refusal,
  type Resource,
  type ResourceController,
  type ResourceService,
  type ResourceView,
} from "./contract.ts";
export { type ControllerDefinition, controllerOfService } from "./controller.ts";
export {
  type JsonController,
  type JsonControllerDefinition,
  jsonControllerOfService,
  type JsonOptions,
} from "./json-controller.ts";
export type { ResourceMessages } from "./messages.ts";
export {
  type JsonAction,
  jsonOfService,
  type JsonOfServiceOptions,
  resourceOfController,
  type ResourceOfControllerOptions,
  resourceOfService,
  type ResourceOfServiceOptions,
} from "./resource.ts";
