import { defineConfig } from "vite";

/** Where a server is that requests are passed on to while developing. */
const server = process.env["WAYPOST_SERVER"] ?? "http://127.0.0.1:8080";

/** What the server answers itself. Everything else is the console. */
const theirs = ["/v1", "/api", "/workflows", "/docs", "/openapi.json", "/metrics", "/readyz", "/healthz", "/version"];

export default defineConfig({
  base: "/console/",
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: Object.fromEntries(theirs.map((path) => [path, server])) },
});
