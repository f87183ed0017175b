import type { Service } from "./service.ts";

/** Service that answers requests. */
export type Server = Service & Required<Pick<Service, "fetch">>;

/** Returns true for the server, the service that answers requests. */
export const isServer = (service: Service): service is Server => service.fetch !== undefined;
