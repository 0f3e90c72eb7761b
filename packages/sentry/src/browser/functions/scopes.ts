import {
  getCurrentScope as currentScope,
  getGlobalScope as globalScope,
  withIsolationScope as inIsolation,
  withScope as inScope,
  getIsolationScope as isolationScope,
} from "sentry-scopes";
import "./interim-client.ts";

/*
 * What is captured by a scope needs the client. A bundler follows a name that is passed on to where it is from, and
 * leaves out what stands on the way: so these are names of this module's own.
 */

export const getCurrentScope: typeof currentScope = currentScope;
export const getGlobalScope: typeof globalScope = globalScope;
export const getIsolationScope: typeof isolationScope = isolationScope;
export const withIsolationScope: typeof inIsolation = inIsolation;
export const withScope: typeof inScope = inScope;
