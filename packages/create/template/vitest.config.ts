import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const resolve = { alias: { "@": import.meta.dirname } };

export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        test: { name: "unit", include: ["tests/unit/**/*.test.ts"], environment: "node" },
      },
      {
        plugins: [react()],
        resolve,
        test: {
          name: "components",
          include: ["tests/components/**/*.test.tsx"],
          environment: "jsdom",
          setupFiles: ["tests/support/components.ts"],
        },
      },
    ],
  },
});
