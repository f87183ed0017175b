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
export { type ControllerDefinition, type ControllerOptions, controllerOfService } from "./controller.ts";
export type { ResourceMessages } from "./messages.ts";
export {
  resourceOfController,
  type ResourceOfControllerOptions,
  resourceOfService,
  type ResourceOfServiceOptions,
} from "./resource.ts";
