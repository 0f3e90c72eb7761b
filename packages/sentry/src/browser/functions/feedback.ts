import { captureFeedback as feedback } from "sentry-scopes";
import "./interim-client.ts";

/** As in scopes.ts. In a file of its own: what calls no feedback does not carry it. */
export const captureFeedback: typeof feedback = feedback;
