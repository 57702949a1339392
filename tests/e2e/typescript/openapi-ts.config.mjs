export default {
  input: "./openapi.json",
  output: "generated/hey_api",
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
};
