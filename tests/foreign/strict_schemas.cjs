// Validates answers against the output schemas of their tools with Ajv in strict mode.
//
//     node strict_schemas.cjs FOLDER_WITH_AJV ANSWERS
//
// ANSWERS is what nws_client.py keeps. Ends with 0 and one JSON line on stdout, or with 1 and the reason on stderr.
"use strict";

const fs = require("fs");
const path = require("path");

const [folder, file] = process.argv.slice(2);
const Ajv2020 = require(path.join(folder, "node_modules/ajv/dist/2020.js")).default;
const { schemas, answers } = JSON.parse(fs.readFileSync(file, "utf8"));
const ajv = new Ajv2020({ strict: true, allErrors: true });
const validators = {};
for (const [tool, schema] of Object.entries(schemas)) {
  validators[tool] = ajv.compile(schema);
}
for (const { tool, data } of answers) {
  if (!validators[tool](data)) {
    console.error(`${tool}: ${ajv.errorsText(validators[tool].errors)}`);
    process.exit(1);
  }
}
console.log(JSON.stringify({ schemas: Object.keys(schemas).length, answers: answers.length }));
