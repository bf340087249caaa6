// Settings of ESLint for the JavaScript of this project.
import security from "eslint-plugin-security";

export default [
  security.configs.recommended,
  {
    files: ["**/*.js"],
    languageOptions: { sourceType: "commonjs" },
    rules: { "no-eval": "error", "no-unused-vars": "warn" },
  },
];
