export default {
  walkaround: { input: "./openapi.json", output: { target: "generated/orval/api.ts", client: "fetch", mode: "split" } },
};
