export { findCallSite, notifyObservers, type ObservedStatement, observeStatements } from "./observers.ts";
