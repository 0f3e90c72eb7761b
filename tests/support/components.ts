import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// On a busy machine a second, which is the default, may pass before anything is shown.
configure({ asyncUtilTimeout: 10_000 });

afterEach(cleanup);
