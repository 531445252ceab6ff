// Shows openapi.json: every route with its parameters, bodies and answers, and a form to try it.
// Text from the document only ever becomes text: nothing is parsed as HTML.
"use strict";

const EXAMPLE_DEPTH_MAX = 6;
const STREAM_SHOWN_MAX = 65536;

/** Makes an element: attributes, listeners (on…) and children, which are elements or text. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((it) => it != null));
  return element;
}

/** Text in which `code` is set off, and paragraphs are kept apart. */
function prose(text, tag = "p") {
  return (text ?? "").split(/\n\n+/).filter(Boolean).map((paragraph) => {
    const parts = paragraph.split(/`([^`]*)`/);
    return make(tag, {}, parts.map((part, index) => (index % 2 ? make("code", {}, part) : part)));
  });
}

let api;

function resolve(schema) {
  let found = schema ?? {};
  while (found.$ref) found = api.components.schemas[found.$ref.split("/").pop()] ?? {};
  return found;
}

const nameOf = (schema) => schema?.$ref?.split("/").pop();

/** The type of a schema in a few words. */
function typeName(schema) {
  const parts = schema?.oneOf ?? schema?.anyOf;
  if (nameOf(schema)) return nameOf(schema);
  if (parts) return parts.map(typeName).filter(Boolean).join(" or ");
  const types = [schema?.type ?? "any"].flat().filter((it) => it !== "null");
  if (types[0] === "array") return `list of ${typeName(schema.items)}`;
  const format = schema?.format === "date-time" ? " (time)" : "";
  return types.join(" or ") + format + bounds(schema ?? {});
}

function bounds({ minimum, maximum, default: usual }) {
  const least = minimum ? `, at least ${minimum}` : "";
  const most = maximum === undefined ? "" : `, at most ${maximum}`;
  return least + most + (usual === undefined ? "" : `, ${usual} if absent`);
}

/** Something that would be accepted, or nearly. */
function example(schema, depth = 0) {
  const it = resolve(schema);
  if (it.example !== undefined) return it.example;
  if (it.default !== undefined) return it.default;
  if (it.enum) return it.enum[0];
  if (depth > EXAMPLE_DEPTH_MAX) return null;
  const parts = (it.oneOf ?? it.anyOf ?? []).filter((part) => part.type !== "null");
  if (parts.length) return example(parts[0], depth + 1);
  if (it.allOf) return Object.assign({}, ...it.allOf.map((part) => example(part, depth + 1)));
  const type = [it.type].flat()[0];
  if (type === "array") return [example(it.items, depth + 1)];
  if (type === "object") return exampleObject(it, depth);
  if (type === "string") return it.format === "date-time" ? new Date().toISOString() : "text";
  if (type === "integer" || type === "number") return it.minimum ?? 1;
  if (type === "boolean") return false;
  return {};
}

function exampleObject(it, depth) {
  const required = new Set(it.required ?? []);
  const members = Object.entries(it.properties ?? {}).filter(([name]) => required.has(name));
  return Object.fromEntries(members.map(([name, part]) => [name, example(part, depth + 1)]));
}

/** What a schema may be, apart from nothing. */
const choicesOf = (it) => (it.oneOf ?? it.anyOf ?? []).filter((part) => part.type !== "null");

/** The members of a schema as a table; what lies deeper is opened on demand. */
function schemaView(schema) {
  const it = resolve(schema);
  const choices = choicesOf(it);
  if (choices.length === 1) return schemaView(choices[0]);
  if (choices.length) return make("div", { class: "choices" }, choices.map(choiceView));
  if (it.allOf) return make("div", {}, it.allOf.map(schemaView));
  if (it.enum) return values(it);
  if ([it.type].flat()[0] === "array") return schemaView(it.items);
  if (!it.properties) return make("p", { class: "quiet" }, it.description ?? typeName(it));
  const required = new Set(it.required ?? []);
  const rows = Object.entries(it.properties).map(([name, part]) => memberRow(name, part, required.has(name)));
  return make("table", {}, make("tbody", {}, rows));
}

const choiceView = (part) => make("div", {}, prose(resolve(part).description), schemaView(part));

const values = (it) => make("span", { class: "type" }, it.enum.flatMap((value) => [make("code", {}, value), " "]));

function memberRow(name, part, isRequired) {
  return make("tr", {},
    make("th", { scope: "row" }, make("code", {}, name), isRequired ? null : make("span", { class: "quiet" }, " optional")),
    make("td", {}, prose(part.description ?? resolve(part).description, "span"), deeper(part, typeName(part))));
}

function deeper(part, type) {
  let inner = resolve([part.type].flat()[0] === "array" ? part.items : part);
  const choices = choicesOf(inner);
  if (choices.length === 1) inner = resolve(choices[0]);
  if (inner.enum) return values(inner);
  if (!inner.properties && !inner.allOf && choices.length < 2) return make("span", { class: "type" }, type);
  const details = make("details", {}, make("summary", { class: "type" }, type));
  details.addEventListener("toggle", () => details.append(schemaView(inner)), { once: true });
  return details;
}

function parameterField(parameter) {
  const schema = resolve(parameter.schema);
  const choices = schema.enum ?? schema.oneOf?.flatMap((it) => resolve(it).enum ?? []);
  const attributes = { name: parameter.name, "data-in": parameter.in };
  const field = choices?.length
    ? make("select", attributes, make("option", { value: "" }, "any"), choices.map((it) => make("option", {}, it)))
    : make("input", { ...attributes, autocomplete: "off", required: parameter.required === true });
  const where = parameter.in === "query" ? "" : ` (${parameter.in})`;
  return make("label", { class: "parameter" },
    make("span", {}, make("code", {}, parameter.name), make("span", { class: "quiet" }, where)),
    field, make("small", {}, parameter.description ?? ""));
}

function request(route, form) {
  let path = route.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const field of form.querySelectorAll("[data-in]")) {
    const value = field.value.trim();
    if (field.dataset.in === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(value));
    else if (value && field.dataset.in === "query") query.set(field.name, value);
    else if (value) headers[field.name] = value;
  }
  const body = form.querySelector("textarea")?.value;
  if (body?.trim()) headers["Content-Type"] = "application/json";
  const url = query.size ? `${path}?${query}` : path;
  return { url, init: { method: route.method.toUpperCase(), headers, body: body?.trim() ? body : undefined } };
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** As a line for a shell: quotes inside the text are closed, escaped and opened again. */
function curl({ url, init }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const headers = Object.entries(init.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const method = init.method === "GET" ? [] : ["-X", init.method];
  const body = init.body ? ["-d", quoted(init.body)] : [];
  return ["curl", ...method, ...headers, ...body, quoted(location.origin + url)].join(" ");
}

async function send(route, form, output) {
  const asked = request(route, form);
  const stop = new AbortController();
  const status = make("strong", {}, "…");
  const text = make("pre", { tabindex: "0" });
  const halt = make("button", { type: "button", onclick: () => stop.abort() }, "Stop");
  output.replaceChildren(make("pre", { class: "curl", tabindex: "0" }, curl(asked)), make("p", {}, status, " ", halt), text);
  try {
    const answer = await fetch(asked.url, { ...asked.init, signal: stop.signal });
    status.textContent = `${answer.status} ${answer.statusText}`;
    status.className = answer.ok ? "good" : "bad";
    await read(answer, text);
  } catch (error) {
    if (error.name !== "AbortError") text.textContent = String(error);
  }
  halt.remove();
}

/** Streams are shown as they come. */
async function read(answer, text) {
  if (!answer.headers.get("content-type")?.includes("event-stream")) {
    text.textContent = pretty(await answer.text());
    return;
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text.textContent = (text.textContent + part.value).slice(-STREAM_SHOWN_MAX);
  }
}

function tryIt(route, operation) {
  const output = make("div", { class: "answer", "aria-live": "polite" });
  const content = operation.requestBody?.content?.["application/json"];
  const fields = (operation.parameters ?? []).map(parameterField);
  const body = content && make("label", { class: "body" }, make("span", {}, "Body"),
    make("textarea", { rows: "8", spellcheck: "false" }, JSON.stringify(example(content.schema), null, 2)));
  const form = make("form", { onsubmit: (event) => { event.preventDefault(); send(route, form, output); } },
    fields, body, make("button", { type: "submit" }, "Send"));
  return [form, output];
}

function answers(operation) {
  const rows = Object.entries(operation.responses).map(([status, response]) => {
    const content = Object.values(response.content ?? {})[0];
    const kind = status === "default" ? "else" : status;
    return make("tr", {}, make("th", { scope: "row" }, make("code", {}, kind)),
      make("td", {}, prose(response.description, "span"), content?.schema ? deeper(content.schema, typeName(content.schema)) : null));
  });
  return make("table", {}, make("tbody", {}, rows));
}

function routeView(route) {
  const { operation } = route;
  const content = operation.requestBody?.content?.["application/json"];
  const details = make("details", { class: "route", id: route.id },
    make("summary", {}, make("span", { class: `method ${route.method}` }, route.method.toUpperCase()),
      make("code", {}, route.path), make("span", { class: "what" }, prose(operation.summary, "span"))));
  details.addEventListener("toggle", () => details.append(make("div", { class: "inside" },
    prose(operation.description),
    content ? [make("h3", {}, "Body"), schemaView(content.schema)] : null,
    make("h3", {}, "Answers"), answers(operation),
    make("h3", {}, "Try it"), tryIt(route, operation))), { once: true });
  return details;
}

/** Where a path is on this server: below that of its own servers, or of those of all. */
function placed(path, item) {
  const server = (item.servers ?? api.servers)?.[0]?.url ?? "";
  return new URL(server, location.href).pathname.replace(/\/$/, "") + path;
}

function allRoutes() {
  return Object.entries(api.paths).map(([path, item]) => [placed(path, item), item]).flatMap(([path, item]) =>
    ["get", "post", "put", "patch", "delete"].filter((method) => item[method]).map((method) => ({
      path, method, operation: item[method],
      id: `${method}-${path.replaceAll(/[^A-Za-z0-9]+/g, "-")}`,
      words: `${method} ${path} ${item[method].summary} ${item[method].description}`.toLowerCase(),
    })));
}

/** A path that may break after a slash, and nowhere else. */
const breakable = (path) => path.split(/(?<=\/)/).flatMap((part) => [part, make("wbr")]);

function render(routes) {
  const order = (api.tags ?? []).map((tag) => tag.name);
  const sorted = routes.toSorted((a, b) => order.indexOf(a.operation.tags?.[0]) - order.indexOf(b.operation.tags?.[0]));
  const groups = Map.groupBy(sorted, (route) => route.operation.tags?.[0] ?? "Other");
  const sections = [...groups].map(([tag, members]) =>
    make("section", {}, make("h2", { id: `group-${tag}` }, tag), members.map(routeView)));
  const links = [...groups].map(([tag, members]) => make("section", {}, make("h2", {}, tag),
    make("ul", {}, members.map((route) => make("li", {}, make("a", { href: `#${route.id}` },
      make("span", { class: `method ${route.method}` }, route.method.toUpperCase()), make("span", {}, breakable(route.path))))))));
  document.getElementById("routes").replaceChildren(...prose(api.info.description), ...sections);
  document.getElementById("contents").replaceChildren(...links);
}

function openNamed() {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.tagName === "DETAILS") {
    named.open = true;
    named.scrollIntoView();
  }
}

function filter(routes, wanted) {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  for (const route of routes) {
    const isShown = words.every((word) => route.words.includes(word));
    document.getElementById(route.id).hidden = !isShown;
  }
  for (const section of document.querySelectorAll("main section")) {
    section.hidden = !section.querySelector("details.route:not([hidden])");
  }
}

async function start() {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  api = await answer.json();
  const routes = allRoutes();
  render(routes);
  openNamed();
  addEventListener("hashchange", openNamed);
  const field = document.getElementById("filter");
  field.addEventListener("input", () => filter(routes, field.value));
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select");
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      field.focus();
    }
  });
}

start().catch((error) => {
  document.getElementById("routes").replaceChildren(make("p", { class: "bad" }, String(error)));
});
